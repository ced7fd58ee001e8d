import assert from 'node:assert/strict';
import type { Client } from '../client.ts';
import { program, pythonPackage, pythonProgram } from '../sources.ts';
import { DEMO_FEED, type Trial } from '../trial.ts';

/** Reports as programs that read tables see them. */
interface Row {
  readonly id: string;
  readonly c2Address: string;
  readonly confidenceScore: number;
}

const byId = (one: Row, other: Row) => (one.id < other.id ? -1 : 1);

async function assertRows(trial: Trial, rows: readonly Row[]): Promise<void> {
  const reports = await trial.reports(DEMO_FEED);
  const expected = reports.map(({ id, c2Address, confidenceScore }) => ({
    id,
    c2Address,
    confidenceScore,
  }));
  assert.ok(rows.length > 100);
  assert.deepEqual(rows.toSorted(byId), expected.toSorted(byId));
}

const COLUMNS = 'id, C2 and confidence of every report';

export const TABLES: readonly Client[] = [
  {
    name: 'jq',
    source: program('jq'),
    command: `curl …/export/ndjson?end=0 | jq -c '{id, c2Address, confidenceScore}'`,
    compared: COLUMNS,
    async run(trial) {
      const file = await trial.download('ndjson?end=0', DEMO_FEED);
      const printed = await trial.execute('jq', ['-c', '{id, c2Address, confidenceScore}', file]);
      const rows = printed.trimEnd().split('\n');
      await assertRows(
        trial,
        rows.map((line): Row => JSON.parse(line)),
      );
    },
  },
  {
    name: 'SQLite',
    source: program('sqlite3'),
    command: '`.import --csv reports.csv report`, of `…/export/csv?end=0`',
    compared: COLUMNS,
    async run(trial) {
      const file = await trial.download('csv?end=0', DEMO_FEED);
      const query =
        'select id, c2Address, cast(confidenceScore as integer) as confidenceScore from report';
      const printed = await trial.execute('sqlite3', [
        ...['-cmd', `.import --csv "${file}" report`, '-json', ':memory:', query],
      ]);
      await assertRows(trial, JSON.parse(printed));
    },
  },
  {
    name: 'csvkit',
    source: pythonPackage('csvkit'),
    command:
      '`csvcut -c id,c2Address,confidenceScore reports.csv | csvjson`, of `…/export/csv?end=0`',
    compared: COLUMNS,
    async run(trial) {
      const file = await trial.download('csv?end=0', DEMO_FEED);
      const script = `"$0" -c id,c2Address,confidenceScore "$1" | "$2"`;
      const programs = [pythonProgram('csvcut'), file, pythonProgram('csvjson')];
      const rows: readonly Row[] = JSON.parse(
        await trial.execute('sh', ['-c', script, ...programs]),
      );
      await assertRows(trial, rows);
    },
  },
  {
    name: 'pandas',
    source: pythonPackage('pandas'),
    command: `pandas.read_csv(…/export/csv?end=0, storage_options={"Authorization": …})`,
    compared: COLUMNS,
    async run(trial) {
      await assertRows(trial, (await trial.python('pandas-table.py', DEMO_FEED)) as Row[]);
    },
  },
  {
    name: 'DuckDB',
    source: pythonPackage('duckdb'),
    command: '`read_csv` of `…/export/csv?end=0`, `read_json` of `…/export/ndjson?end=0`',
    compared: COLUMNS,
    async run(trial) {
      for (const format of ['csv', 'ndjson']) {
        const file = await trial.download(`${format}?end=0`, DEMO_FEED);
        await assertRows(trial, (await trial.python('duckdb-table.py', format, file)) as Row[]);
      }
    },
  },
];
