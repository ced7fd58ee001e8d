import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { Problem } from '../../src/domain/problem.ts';
import { openSqliteDatabase } from '../../src/server/open-sqlite-database.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { openDatabase, openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { openMemoryDatabase, openMemoryStore, openMemoryStoreAndQueue } from '../empty-store.ts';
import { accountLimitsContract } from './contracts/account-limits-contract.ts';
import { accountsContract } from './contracts/accounts-contract.ts';
import { chargesContract } from './contracts/charges-contract.ts';
import { clockContract } from './contracts/clock-contract.ts';
import { evidenceContract } from './contracts/evidence-contract.ts';
import { asRead } from './contracts/feed-rig.ts';
import { feedsContract } from './contracts/feeds-contract.ts';
import { listContract } from './contracts/list-contract.ts';
import { mailContract } from './contracts/mail-contract.ts';
import { mispContract } from './contracts/misp-contract.ts';
import { permissionContract } from './contracts/permission-contract.ts';
import { proposalHistoriesContract } from './contracts/proposal-histories-contract.ts';
import { proposalsContract } from './contracts/proposals-contract.ts';
import { publishedContract } from './contracts/published-contract.ts';
import { reanalysisContract } from './contracts/reanalysis-contract.ts';
import { renamesContract } from './contracts/renames-contract.ts';
import { samplesContract } from './contracts/samples-contract.ts';
import { ownershipContract } from './contracts/services/ownership-contract.ts';
import { routesContract } from './contracts/services/routes-contract.ts';
import { webhookDeliveriesContract } from './contracts/services/webhook-deliveries-contract.ts';
import { sessionsContract } from './contracts/sessions-contract.ts';
import { statisticsContract } from './contracts/statistics/feed-contract.ts';
import { trustContract } from './contracts/statistics/trust-contract.ts';
import {
  newAccount,
  newSample,
  newService,
  newToken,
  storeContract,
  testForms,
} from './contracts/store-contract.ts';
import { subjectsContract } from './contracts/subjects-contract.ts';
import { collectReplans } from './replans.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-store-'));
after(() => rmSync(folder, { recursive: true }));

const replans = collectReplans();

accountsContract('in-memory sqlite', async () => openMemoryStore(testForms));
accountLimitsContract('sqlite', async () => openMemoryStore(testForms));
storeContract('in-memory sqlite', async () => openMemoryStore(testForms));
storeContract('sqlite', async () => openSqliteStore(join(folder, 'contract.db'), testForms));
routesContract('in-memory sqlite', async () => openMemoryStore(testForms), 60);
subjectsContract('in-memory sqlite', async () => openMemoryStore(testForms));
chargesContract('in-memory sqlite', async () => openMemoryStore(testForms));
mailContract('in-memory sqlite', async () => openMemoryStore(testForms));
webhookDeliveriesContract('sqlite', async () => openMemoryStore(testForms));
ownershipContract('in-memory sqlite', async () => openMemoryStore(testForms));
mispContract('in-memory sqlite', async () => openMemoryStore(testForms));
statisticsContract('in-memory sqlite', async () => openMemoryStore(testForms));
trustContract('in-memory sqlite', async () => openMemoryStore(testForms));
proposalsContract('in-memory sqlite', async () => openMemoryStore(testForms));
proposalHistoriesContract('in-memory sqlite', async () => openMemoryStore(testForms));
clockContract('in-memory sqlite', async () => openMemoryStore(testForms));
feedsContract('in-memory sqlite', async () => openMemoryStore(testForms));
listContract('in-memory sqlite', async () => openMemoryStore(testForms));
permissionContract('in-memory sqlite', async () => openMemoryStore(testForms));
publishedContract('in-memory sqlite', async () => openMemoryStore(testForms));
publishedContract('sqlite', async () => openSqliteStore(join(folder, 'published.db'), testForms));
evidenceContract('in-memory sqlite', async () => openMemoryStore(testForms));
renamesContract('in-memory sqlite', async () => openMemoryStore(testForms));
feedsContract('sqlite', async () => openSqliteStore(join(folder, 'feeds.db'), testForms));
sessionsContract('in-memory sqlite', async () => openMemoryStore(testForms));
samplesContract('in-memory sqlite', async () => openMemoryStoreAndQueue(testForms));
reanalysisContract('sqlite', async () => openSqliteDatabase(join(folder, 'again.db'), testForms));
samplesContract('sqlite', async () => openSqliteDatabase(join(folder, 'samples.db'), testForms));

const NOW = new Date('2026-08-26T10:00:00.000Z');
const audit = { actor: 'test', at: NOW };

describe('SQLite in the contracts above', () => {
  it('has planned every statement once', () => {
    replans.stop();
    assert.deepEqual(replans.replanned, []);
  });
});

describe('sqlite store', () => {
  it('accepts a row id that is not a safe integer, as the text index generates them', async () => {
    const db = openMemoryDatabase();
    const store = createStore(new SqliteRunner(db), testForms);
    db.exec('create table large (id integer primary key)');
    db.exec('insert into large values (9009398277996544)');
    assert.equal(await store.services.add(newService({ slug: 'large' }), audit), 'added');
    assert.deepEqual(
      (await store.services.list()).map(({ slug }) => slug),
      ['large', 'unclaimed'],
    );
    await store.close();
  });

  it('opens with a write-ahead log, full flushes and foreign keys', () => {
    const db = openDatabase(join(folder, 'pragmas.db'));
    const value = (name: string) => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0];
    assert.equal(value('journal_mode'), 'wal');
    assert.equal(value('synchronous'), 2);
    assert.equal(value('foreign_keys'), 1);
    db.close();
  });

  it('has only strict tables', () => {
    const db = openMemoryDatabase();
    const lax = db
      .prepare(
        "select name from pragma_table_list where schema = 'main' and type = 'table' and strict = 0 and name not like 'sqlite_%'",
      )
      .all();
    assert.deepEqual(lax, []);
    db.close();
  });

  it('refuses a store that a newer version has written, and leaves it as it is', () => {
    const file = join(folder, 'newer.db');
    const db = openDatabase(file);
    db.exec("insert into migration values ('9999-future', '2030-01-01T00:00:00.000Z')");
    db.close();
    assert.throws(() => openSqliteStore(file, testForms), /newer Rapsheet.*9999-future/);
  });

  it('continues an interrupted migration', () => {
    const file = join(folder, 'cut.db');
    const first = openDatabase(file);
    first.exec(
      "drop table pending_rename; drop table stored_position; delete from migration where name like '0014%'",
    );
    first.close();
    const second = openDatabase(file);
    assert.deepEqual(
      second.prepare('select count(*) as rows from stored_position').get()?.['rows'],
      0,
    );
    second.close();
  });

  it('gives reports that are older than the desk a status, an expiry and an entry in every list', async () => {
    const file = join(folder, 'before-desk.db');
    fillBeforeDesk(file);
    const store = openSqliteStore(file, testForms);
    const list = async (filter: object) => {
      const page = { scope: 'ply', filter, order: 'asc' as const, after: undefined, limit: 10 };
      return (await store.feeds.list(page, asRead)).reports;
    };
    const find = async (id: string) => (await store.reports.find('ply', id)) ?? assert.fail();
    const [one, two, three] = [await find('r1'), await find('r2'), await find('r3')];
    assert.deepEqual(
      (await list({})).map(({ body }) => body),
      ['{"n":1}', '{"n":2}', '{"n":3}'],
    );
    assert.deepEqual(
      [one, two, three].map((report) => [report.id, report.sightings, report.corroboration]),
      [
        ['r1', 2, 1],
        ['r2', 2, 1],
        ['r3', 1, 0],
      ],
    );
    assert.deepEqual(one.expiresAt, new Date('2026-11-24T10:00:00.000Z'));
    assert.deepEqual([one.status, one.updatedAt, one.recurrence], ['open', NOW, false]);
    assert.equal((await list({ tags: ['rat'] })).length, 3);
    assert.equal((await list({ host: 'a.example', port: 80 })).length, 2);
    assert.equal(await store.reports.fetch('ply', 'r2'), '{"n":2}');
    const { id, service: slug, ...members } = three;
    await store.reports.create({ ...members, id: 'r4', service: slug, retry: undefined });
    assert.equal((await list({})).length, 4);
    const newest = await find('r4');
    assert.deepEqual([newest.firstSeenId, newest.sightings], [id, 2]);
    assert.deepEqual(await store.feeds.heads('ply'), new Map([['ply', 4]]));
    await store.close();
  });

  it('adds analyses to the index of similar files that are older than it, in slices', async () => {
    const file = join(folder, 'older.db');
    const ssdeep = '96:abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLM';
    const first = openSqliteStore(file, testForms);
    const caller = newAccount();
    await first.accounts.add(caller, newToken(), audit);
    const reports = ['1', '2', '3', '4', '5'].map((digit) =>
      newSample({ ssdeep, sha256: digit.repeat(64) }),
    );
    await first.samples.putAll(reports, NOW);
    await first.close();
    const db = new DatabaseSync(file);
    // As after the migration that added the index.
    db.exec(`
      delete from fuzzy_hash;
      delete from gram;
      insert into back_fill values ('fuzzy_hash', -1);
    `);
    db.close();
    const ask = async (store: ReturnType<typeof openSqliteStore>) => {
      const to = { hex: '5'.repeat(64), kinds: ['sha256' as const] };
      const asked = { accountId: caller.id, to, limit: 50, now: NOW };
      return (await store.samples.similar(asked)).found?.length;
    };
    const second = openSqliteStore(file, testForms);
    assert.equal(await ask(second), 0);
    assert.equal(await second.samples.indexSimilar(2), 2);
    assert.equal(await ask(second), 2);
    await second.samples.putAll([newSample({ ssdeep, sha256: '6'.repeat(64) })], NOW);
    await second.close();
    const third = openSqliteStore(file, testForms);
    const looked = [];
    for (let round = 0; round < 4; round += 1) looked.push(await third.samples.indexSimilar(2));
    assert.deepEqual(looked, [2, 2, 0, 0]);
    assert.equal(await ask(third), 5);
    await third.close();
  });

  it('sees commits of another process at the next call', async () => {
    const file = join(folder, 'beside.db');
    const [one, other] = [openSqliteStore(file, testForms), openSqliteStore(file, testForms)];
    await one.services.add(newService({ slug: 'ply' }), audit);
    assert.equal((await one.access.findService('ply'))?.name, 'ply');
    await other.services.change('ply', { name: 'Ply Tunnels' }, audit);
    // A request after the other's commit is received in a later turn of the event loop.
    await new Promise(setImmediate);
    assert.equal((await one.access.findService('ply'))?.name, 'Ply Tunnels');
    await Promise.all([one.close(), other.close()]);
  });

  it('checks again for changes of other processes after a failed check', () => {
    const db = openDatabase(join(folder, 'closed.db'));
    const runner = new SqliteRunner(db);
    db.close();
    assert.throws(() => runner.changedElsewhere());
    assert.throws(() => runner.changedElsewhere(), 'in the same turn, too');
  });

  it('waits for the write transaction of another process, and then writes', async () => {
    const file = join(folder, 'busy.db');
    const store = openSqliteStore(file, testForms);
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    const added = store.services.add(newService({ slug: 'ply' }), audit);
    assert.equal(
      await store.access.findService('ply'),
      undefined,
      'reads continue during the write',
    );
    other.exec('commit');
    assert.equal(await added, 'added');
    other.close();
    await store.close();
  });

  it('is unavailable while the file is read-only, and loses nothing', async () => {
    const file = join(folder, 'read-only.db');
    const db = openDatabase(file);
    db.close();
    const readOnly = await openReadOnly(file);
    await assert.rejects(
      readOnly.services.add(newService({ slug: 'ply' }), audit),
      (error: unknown) => {
        return error instanceof Problem && error.code === 'unavailable';
      },
    );
    await readOnly.close();
  });
});

/** A store of version 0.1: three reports, two of them of one C2 by two accounts. */
function fillBeforeDesk(file: string): void {
  const db = new DatabaseSync(file);
  db.exec('create table migration (name text primary key, applied_at text not null) strict');
  for (const { name, sql } of readMigrations('sqlite').filter(({ name }) => name < '0006')) {
    db.exec(sql);
    db.prepare('insert into migration values (?, ?)').run(name, NOW.toISOString());
  }
  const at = NOW.toISOString();
  db.exec(`
    insert into service values (1, 'ply', 'Ply', 100, '[]', '[]', 3, '${at}');
    insert into account (id, name, roles, quota_period, created_at) values
      ('a1', 'alice', '[]', 'none', '${at}'), ('a2', 'bob', '[]', 'none', '${at}');
  `);
  const report = db.prepare(
    `insert into report values (?, 1, ?, ?, 'rat', '["rat","rat"]', ?, 80, ?, ?, ?, '${at}', ?, '', 50, ?)`,
  );
  for (const [number, host, reporter] of [
    [1, 'a.example', 'a1'],
    [2, 'a.example', 'a2'],
    [3, 'b.example', 'a1'],
  ] as const) {
    const firstSeen = host === 'a.example' ? 'r1' : 'r3';
    const hash = String(number).repeat(64);
    report.run(
      `r${number}`,
      number,
      number,
      host,
      hash,
      reporter,
      reporter,
      firstSeen,
      `{"n":${number}}`,
    );
    db.prepare("insert into event values (1, ?, 'created', ?, ?)").run(number, `r${number}`, at);
  }
  db.close();
}

/** A store whose writes fail, as on a full disk. */
async function openReadOnly(file: string) {
  const { createStore } = await import('../../src/storage/stores/store.ts');
  const db = new DatabaseSync(file);
  db.exec('pragma query_only = on');
  return createStore(new SqliteRunner(db), testForms);
}
