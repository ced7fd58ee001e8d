import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { showUsage } from '../../src/operations/accounts/show-usage.ts';
import type { Store } from '../../src/ports/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { testForms } from './contracts/store-contract.ts';
import { fillPostgresBefore, fillSqliteBefore, openUpgraded } from './upgrade.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-charges-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

const MIGRATION = '0037';
const at = (day: string) => new Date(`${day}T12:00:00.000Z`);

/** An account with units of a day that has ended, and of the current one. */
const rowsBefore = [
  `insert into account (id, name, roles, quota_limit, quota_period, usage_day, usage_units, created_at)
   values ('a', 'alice', '[]', 100, 'none', '2026-08-26', 4, '2026-01-01T00:00:00.000Z')`,
  "insert into account_day (account_id, day, units) values ('a', '2026-08-20', 7)",
];

async function checkUpgraded(store: Store): Promise<void> {
  const lookUp = (day: string) =>
    store.samples.lookUp({ accountId: 'a', hash: undefined, now: at(day) });
  await lookUp('2026-08-26');
  await lookUp('2026-08-27');
  const now = () => at('2026-08-27');
  const { days } = await showUsage({ store, now }, 'a', { limit: 10, from: '2026-08-19' });
  assert.deepEqual(
    days
      .filter(({ units }) => units > 0)
      .map(({ day, units, itemised, entries }) => [
        ...[day, units, itemised],
        entries.reduce((sum, entry) => sum + entry.units, 0),
      ]),
    [
      ['2026-08-20', 7, false, 0],
      // Four of them were charged before the upgrade.
      ['2026-08-26', 5, false, 1],
      ['2026-08-27', 1, true, 1],
    ],
  );
  const check = store.examination.checks.find(({ name }) => name === 'charges of accounts');
  for await (const { wrong } of check?.run() ?? assert.fail()) assert.deepEqual(wrong, []);
}

describe('units charged before charges were itemised', () => {
  it('are shown as not itemised on SQLite', async () => {
    const file = join(folder, 'old.db');
    fillSqliteBefore(MIGRATION, file, rowsBefore);
    const store = openSqliteStore(file, testForms);
    await checkUpgraded(store);
    await store.close();
  });

  it('are shown as not itemised on PostgreSQL', async () => {
    const database = await newDatabase();
    databases.push(database);
    await fillPostgresBefore(MIGRATION, database, rowsBefore);
    const store = await openUpgraded(database);
    await checkUpgraded(store);
    await store.close();
  });
});
