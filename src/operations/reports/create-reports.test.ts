import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alice, fakeDependencies, ply } from '../../../test/fakes.ts';
import { Problem } from '../../domain/problem.ts';
import type { ReportDraft } from '../../domain/reports/report.ts';
import type { CreateOutcome, NewReport } from '../../ports/report-store.ts';
import { createReports, type DraftLine } from './create-reports.ts';

const draft: ReportDraft = {
  tags: [],
  c2: { host: 'evil.example', port: 80 },
  sha256: 'ab'.repeat(32),
  reference: undefined,
  confidence: undefined,
};

function setUp(
  outcomeOf: (report: NewReport) => CreateOutcome = ({ id }) => ({ kind: 'created', id }),
) {
  const units: (readonly NewReport[])[] = [];
  const deps = fakeDependencies({
    feeds: {
      createMany: async (reports) => {
        units.push(reports);
        return reports.map(outcomeOf);
      },
    },
  });
  const run = async (groups: readonly (readonly DraftLine[])[], retryKey?: string) => {
    const batch = { caller: alice, service: ply, groups: asStream(groups), retryKey };
    return (await Array.fromAsync(createReports(deps, batch))).flat();
  };
  return { deps, units, run };
}

async function* asStream<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

const problem = new Problem('malformed_line');

describe('creating many reports', () => {
  it('stores each group in one transaction, and reports each line in order', async () => {
    const { units, run } = setUp();
    const results = await run([
      [
        { line: 1, draft },
        { line: 2, problem },
        { line: 4, draft },
      ],
      [{ line: 5, draft }],
    ]);
    assert.deepEqual(
      units.map((unit) => unit.length),
      [2, 1],
    );
    const ids = units.flat().map(({ id }) => id);
    assert.deepEqual(results, [
      { line: 1, id: ids[0], replayed: false, c2Rejected: false },
      { line: 2, problem },
      { line: 4, id: ids[1], replayed: false, c2Rejected: false },
      { line: 5, id: ids[2], replayed: false, c2Rejected: false },
    ]);
  });

  it('makes no query if no line is valid', async () => {
    const { units, run } = setUp();
    assert.deepEqual(await run([[{ line: 1, problem }]]), [{ line: 1, problem }]);
    assert.deepEqual(units, []);
  });

  it('gives every line a key of its own, by its number', async () => {
    const { units, run } = setUp();
    await run(
      [
        [
          { line: 1, draft },
          { line: 3, draft },
        ],
      ],
      'key#1',
    );
    assert.deepEqual(
      units.flat().map(({ retry }) => [retry?.route, retry?.key]),
      [
        ['POST /feed/ply/reports', 'key#1#1'],
        ['POST /feed/ply/reports', 'key#1#3'],
      ],
    );
    assert.deepEqual(units[0]?.[0]?.retry?.fingerprint, units[0]?.[1]?.retry?.fingerprint);
  });

  it('gives no key without a retry key', async () => {
    const { units, run } = setUp();
    await run([[{ line: 1, draft }]]);
    assert.equal(units[0]?.[0]?.retry, undefined);
  });

  it('reports which lines were replayed or refused', async () => {
    const outcomes: CreateOutcome[] = [
      { kind: 'replayed', id: 'first' },
      { kind: 'key-reused' },
      { kind: 'unknown-service' },
    ];
    const { run } = setUp(() => outcomes.shift() as CreateOutcome);
    const results = await run([[1, 2, 3].map((line) => ({ line, draft }))], 'key');
    assert.deepEqual(
      results.map((result) => ('problem' in result ? result.problem.code : result)),
      [
        { line: 1, id: 'first', replayed: true, c2Rejected: false },
        'idempotency_key_reused',
        'unknown_service',
      ],
    );
  });

  it('refuses a caller without the researcher role, and reads nothing', async () => {
    const { deps } = setUp();
    let isRead = false;
    async function* groups() {
      isRead = true;
      yield [];
    }
    const batch = {
      caller: { ...alice, roles: [] },
      service: ply,
      groups: groups(),
      retryKey: undefined,
    };
    await assert.rejects(Array.fromAsync(createReports(deps, batch)), { code: 'role_missing' });
    assert.equal(isRead, false);
  });

  it('stops if the store fails, after the stored groups', async () => {
    let left = 1;
    const { run, units } = setUp(({ id }) => {
      left -= 1;
      if (left < 0) throw new Problem('unavailable');
      return { kind: 'created', id };
    });
    await assert.rejects(run([[{ line: 1, draft }], [{ line: 2, draft }], [{ line: 3, draft }]]), {
      code: 'unavailable',
    });
    assert.equal(units.length, 2);
  });
});
