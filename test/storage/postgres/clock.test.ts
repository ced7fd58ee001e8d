import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findOffset } from '../../../src/operations/check-clock.ts';
import { openPostgresDatabase } from '../../../src/server/open-postgres-database.ts';
import { newStoreDatabase, type TestDatabase } from '../../postgres.ts';
import { testForms } from '../contracts/store-contract.ts';

const YEAR_MS = 365 * 86_400_000;
const QUIET = { error: () => undefined, warn: () => undefined };
/** Allowed for a busy machine. */
const SLACK_MS = 2000;

describe('nodes on PostgreSQL whose clocks differ', () => {
  let database: TestDatabase;
  before(async () => {
    database = await newStoreDatabase();
  });
  after(() => database.drop());

  const databaseMs = async () => {
    const [row = {}] = await database.run('select now() as now');
    return (row['now'] as Date).getTime();
  };

  it('use the time of the database, and detect which machine is wrong', async () => {
    const shifts = [YEAR_MS, -YEAR_MS, 0];
    const nodes = await Promise.all(
      shifts.map(async (shiftMs) => {
        const wallMs = () => Date.now() + shiftMs;
        const machine = { wallMs, monotonicMs: () => performance.now() };
        const options = { url: database.url, poolSize: 4, serializers: testForms, log: QUIET };
        return await openPostgresDatabase({ ...options, machine });
      }),
    );
    for (const [index, { clock, store }] of nodes.entries()) {
      const shiftMs = shifts[index] ?? 0;
      // Read on both sides of the clock: opening a connection and closing a node may take long.
      const [earliest, now, latest] = [
        await databaseMs(),
        clock.now().getTime(),
        await databaseMs(),
      ];
      assert.ok(earliest - SLACK_MS < now && now < latest + SLACK_MS);
      assert.ok(Math.abs((clock.machineOffsetMs() ?? 0) - shiftMs) < SLACK_MS);
      assert.equal(findOffset(clock)?.kind, shiftMs === 0 ? undefined : 'offset');
      await store.close();
    }
  });
});
