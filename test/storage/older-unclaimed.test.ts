import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Store } from '../../src/ports/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { audit, testForms } from './contracts/store-contract.ts';
import { fillPostgresBefore, fillSqliteBefore, openUpgraded } from './upgrade.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-unclaimed-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

const MIGRATION = '0047';
const AT = '2026-01-01T00:00:00.000Z';

const account = (id: string, roles: string) =>
  `insert into account (id, name, roles, quota_period, created_at)
    values ('${id}', '${id}', '${roles}', 'day', '${AT}')`;

const ACCOUNTS = [
  account('root', '["admin"]'),
  account('both', '["researcher","admin"]'),
  account('alice', '["researcher"]'),
  account('triage', '[]'),
];

/** A service that has the slug of the built-in one already, with two owners. */
const SERVICE = [
  `insert into service (slug, name, confidence_scale, hosts, networks, created_at)
    values ('unclaimed', 'Ours', 10, '["old.example"]', '[]', '${AT}')`,
  ...['alice', 'triage', 'root'].map(
    (id) =>
      `insert into account_service (account_id, service_id)
        select '${id}', id from service where slug = 'unclaimed'`,
  ),
];

async function accountsOf(store: Store) {
  const found = await store.accounts.list({ after: undefined, limit: 10 }, audit.at);
  return found.map(({ name, roles, services }) => [name, roles.join(' '), services.join(' ')]);
}

async function checkWithout(store: Store): Promise<void> {
  const [service, ...others] = await store.services.list();
  assert.deepEqual(others, []);
  const { slug, name, hosts, networks, confidenceScale, expireAfterDays } = service ?? {};
  assert.deepEqual(
    { slug, name, hosts, networks, confidenceScale, expireAfterDays },
    {
      slug: 'unclaimed',
      name: 'Unclaimed',
      hosts: [],
      networks: [],
      confidenceScale: 100,
      expireAfterDays: 90,
    },
  );
  assert.deepEqual(await accountsOf(store), [
    ['alice', 'researcher', ''],
    ['both', 'researcher admin', 'unclaimed'],
    ['root', 'admin', 'unclaimed'],
    ['triage', '', ''],
  ]);
}

/** Nothing is lost: its owners get the role that owns it. What it declared can be removed. */
async function checkWith(store: Store): Promise<void> {
  const [service] = await store.services.list();
  assert.deepEqual(
    [service?.name, service?.confidenceScale, service?.hosts],
    ['Ours', 10, ['old.example']],
  );
  assert.deepEqual(await accountsOf(store), [
    ['alice', 'researcher notices', 'unclaimed'],
    ['both', 'researcher admin', 'unclaimed'],
    ['root', 'admin', 'unclaimed'],
    ['triage', 'notices', 'unclaimed'],
  ]);
  assert.equal(
    await store.services.change('unclaimed', { hosts: ['new.example'] }, audit),
    'built-in',
  );
  const emptied = await store.services.change('unclaimed', { hosts: [] }, audit);
  assert.deepEqual(Object(emptied).hosts, []);
}

for (const [title, rows, check] of [
  ['a store from before the built-in service', ACCOUNTS, checkWithout],
  ['a store that has a service of its name', [...ACCOUNTS, ...SERVICE], checkWith],
] as const) {
  describe(title, () => {
    it('gets it, with its desk, on SQLite', async () => {
      const file = join(folder, `${rows.length}.db`);
      fillSqliteBefore(MIGRATION, file, rows);
      const store = openSqliteStore(file, testForms);
      await check(store);
      await store.close();
    });

    it('gets it, with its desk, on PostgreSQL', async () => {
      const database = await newDatabase();
      databases.push(database);
      await fillPostgresBefore(MIGRATION, database, rows);
      const store = await openUpgraded(database);
      await check(store);
      await store.close();
    });
  });
}
