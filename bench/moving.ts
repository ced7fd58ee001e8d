import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newDatabase, startPostgres } from '../test/postgres.ts';
import { copyOf, storeOf } from './stores.ts';

/**
 * Moves a store of `--count` samples and as many reports (a million by default) to PostgreSQL and
 * back. Each direction is killed half-way (`kill -9`) and resumed. All rows must be equal
 * afterwards; then the doctor checks the resulting store.
 */
const { values } = parseArgs({ options: { count: { type: 'string', default: '1000000' } } });
const COUNT = Number(values.count);
const ENTRY = fileURLToPath(new URL('../src/cli/rapsheet.ts', import.meta.url));
const POLL_MS = 200;

interface Moved {
  readonly isEqual: boolean;
  readonly tables: readonly {
    readonly name: string;
    readonly source: { readonly rows: number; readonly sha256: string };
  }[];
}

function start(words: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, [ENTRY, ...words], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function run(words: readonly string[], settings?: Readonly<Record<string, string>>) {
  const child = start(words, settings);
  const closed = once(child, 'close');
  const out = await text(child.stdout);
  const [code] = await closed;
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${out}`);
  return out;
}

/** Kills the process as soon as half of the rows are moved. */
async function killAtHalf(child: ChildProcess, movedRows: () => Promise<number>, half: number) {
  const exited = once(child, 'exit');
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  let rows = 0;
  while (!hasExited) {
    // Until the first progress row is written, the query fails.
    rows = await movedRows().catch(() => 0);
    if (rows >= half) child.kill('SIGKILL');
    await pause(POLL_MS);
  }
  const [, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error('the move ended before it was killed');
  return rows;
}

async function moveKilled(
  [from, to]: readonly [string, string],
  movedRows: () => Promise<number>,
  total: number,
): Promise<Moved> {
  const words = ['migrate', '--from', from, '--to', to, '--json'];
  const startedAt = performance.now();
  const rows = await killAtHalf(start(words), movedRows, total / 2);
  console.log(`  killed after ${rows} of ${total} rows and ${seconds(startedAt)} s`);
  const resumedAt = performance.now();
  const moved: Moved = JSON.parse(await run(words));
  console.log(`  resumed, compared and ended after ${seconds(resumedAt)} s more`);
  return moved;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

const MOVED_ROWS = 'select sum(rows) as rows from moving';
const TOTAL_ROWS =
  'select (select count(*) from report) + (select count(*) from event) + (select count(*) from report_tag) + (select count(*) from sample) + (select count(*) from fuzzy_hash) as rows';

const copy = copyOf(storeOf(COUNT));
const server = await startPostgres([]);
const database = await newDatabase(server);
try {
  const first = join(copy.folder, 'rapsheet.db');
  const again = join(copy.folder, 'again', 'rapsheet.db');
  const db = new DatabaseSync(first, { readOnly: true });
  const total = Number(db.prepare(TOTAL_ROWS).get()?.['rows']);
  db.close();
  console.log(`${COUNT} samples and ${COUNT} reports, SQLite to PostgreSQL`);
  const there = await moveKilled(
    [`sqlite:${first}`, database.url],
    async () => Number((await database.run(MOVED_ROWS))[0]?.['rows']),
    total,
  );
  console.log('PostgreSQL to SQLite');
  const back = await moveKilled(
    [database.url, `sqlite:${again}`],
    estimatedRows(again, total),
    total,
  );
  const isUnchanged =
    JSON.stringify(there.tables.map(sourceOf)) === JSON.stringify(back.tables.map(sourceOf));
  const doctorAt = performance.now();
  await run(['doctor', '--quick'], { RAPSHEET_DATA_DIR: join(copy.folder, 'again') });
  console.log(`the doctor found no problem in the resulting store, in ${seconds(doctorAt)} s`);
  if (!there.isEqual || !back.isEqual || !isUnchanged) throw new Error('the stores differ');
  console.log('all rows are equal in both directions:');
  for (const { name, source } of there.tables)
    console.log(
      `  ${name.padEnd(18)} ${String(source.rows).padStart(9)}  ${source.sha256.slice(0, 16)}`,
    );
} finally {
  await database.drop();
  await server.stop();
  copy.remove();
}

function sourceOf({ name, source }: Moved['tables'][number]) {
  return { name, source };
}

/**
 * Estimates the rows of the target from its size relative to the source, because the move holds the
 * file exclusively.
 */
function estimatedRows(file: string, total: number): () => Promise<number> {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const whole = sizeOf(join(copy.folder, 'rapsheet.db'));
  return async () => Math.floor((total * (sizeOf(file) + sizeOf(`${file}-wal`))) / whole);
}
