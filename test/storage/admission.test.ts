import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { NO_SCHEMA } from '../../src/domain/admission.ts';
import { Problem } from '../../src/domain/problem.ts';
import type { Store } from '../../src/ports/store.ts';
import { ownSchema } from '../../src/storage/migrate.ts';
import { preparePostgres } from '../../src/storage/postgres/open.ts';
import { postgresSnapshots } from '../../src/storage/snapshots/postgres-snapshots.ts';
import { sqliteSnapshots } from '../../src/storage/snapshots/sqlite-snapshots.ts';
import { openDatabase, openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { newDatabase, newStoreDatabase, type TestDatabase } from '../postgres.ts';
import { until } from '../until.ts';
import { FeedRig } from './contracts/feed-rig.ts';
import { testForms } from './contracts/store-contract.ts';
import { fillPostgresBefore, fillSqliteBefore, openUpgraded } from './upgrade.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-admission-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

async function newStore(): Promise<TestDatabase> {
  const database = await newStoreDatabase();
  databases.push(database);
  return database;
}

const isRefused = (cause: unknown) => cause instanceof Problem && cause.code === 'not_admitted';

const RAISED = ownSchema() + 1;
const raise = (oldest: number) => `update admission set oldest_schema = ${oldest}`;

/** Once the store admits newer schemas only, nothing is read or written. */
async function checkRefusal(store: Store, run: (sql: string) => unknown): Promise<void> {
  const rig = await FeedRig.in(store);
  const feed = await rig.service();
  const { id } = await rig.create(feed);
  const reasons: string[] = [];
  store.onRefused((reason) => reasons.push(reason));
  await run(raise(ownSchema()));
  assert.ok(await store.reports.find(feed, id));
  await run(raise(RAISED));
  await assert.rejects(rig.create(feed), isRefused);
  await assert.rejects(store.reports.fetch(feed, id), isRefused);
  await assert.rejects(store.reports.find(feed, id), isRefused);
  await assert.rejects(store.clock.saveMark({ at: new Date(), timer: 'a', timerMs: 1 }), isRefused);
  await assert.rejects(store.check(), isRefused);
  assert.deepEqual(reasons, [
    `the store admits nodes from schema ${RAISED} on, and this one has ${ownSchema()}`,
  ]);
  store.onRefused((reason) => reasons.push(reason));
  assert.equal(reasons.length, 2, 'a later listener is called as well');
}

describe('a store that no longer admits the process', () => {
  it('refuses all its reads and writes on SQLite', async () => {
    const file = join(folder, 'refused.db');
    const store = openSqliteStore(file, testForms);
    const other = new DatabaseSync(file);
    await checkRefusal(store, (sql) => other.exec(sql));
    assert.equal(other.prepare('select count(*) as count from report').get()?.['count'], 1);
    other.close();
    await store.close();
    await assert.rejects(sqliteSnapshots(file).open(undefined), isRefused);
  });

  it('refuses all its reads and writes on PostgreSQL', async () => {
    const database = await newStore();
    const store = await openUpgraded(database);
    await checkRefusal(store, (sql) => database.run(sql));
    assert.deepEqual(await database.run('select count(*)::int as count from report'), [
      { count: 1 },
    ]);
    await store.close();
    await assert.rejects(postgresSnapshots(database.url).open(undefined), isRefused);
  });

  it('tells an idle process that the store was moved', async () => {
    const database = await newStore();
    const store = await openUpgraded(database);
    const reasons: string[] = [];
    store.onRefused((reason) => reasons.push(reason));
    await database.run(raise(NO_SCHEMA));
    await until(() => reasons.length > 0, 'it polls');
    assert.deepEqual(reasons, ['the store was moved to another database']);
    await store.close();
  });

  it('explains a transaction that fails on the newer tables', async () => {
    const database = await newStore();
    const store = await openUpgraded(database);
    const rig = await FeedRig.in(store);
    const feed = await rig.service();
    // One transaction, as a migration.
    await database.run(`begin; ${raise(RAISED)}; drop table report_tag; commit`);
    await assert.rejects(rig.create(feed, { tags: ['a'] }), isRefused);
    await store.close();
  });
});

describe('a migration that older nodes must not outlive', () => {
  it('waits for their transactions and refuses the later ones', async () => {
    const database = await newStore();
    const store = await openUpgraded(database);
    const rig = await FeedRig.in(store);
    const feed = await rig.service();
    const [blocker, migration] = [database, database].map(
      ({ url }) => new pg.Client({ connectionString: url }),
    ) as [pg.Client, pg.Client];
    await blocker.connect();
    await migration.connect();
    // The first create waits for its feed, in its transaction.
    await blocker.query(`begin; select from service where slug = '${feed}' for update`);
    const first = rig.create(feed);
    await until(async () => (await database.run(WAITING)).length === 1, 'the create waits');
    let isLocked = false;
    const locking = migration
      .query('begin; lock table admission in access exclusive mode')
      .then(() => {
        isLocked = true;
      });
    await until(async () => (await database.run(WAITING)).length === 2, 'the migration waits');
    await blocker.query('commit');
    const { id } = await first;
    await locking;
    assert.ok(isLocked);
    const later = [rig.create(feed), store.reports.find(feed, id)].map((call) =>
      assert.rejects(call, isRefused),
    );
    // A snapshot that was taken before the lock would not show the new number.
    await until(async () => (await database.run(WAITING)).length === 2, 'both calls wait');
    await Promise.all([...later, migration.query(`${raise(RAISED)}; commit`)]);
    assert.deepEqual(await database.run('select id from report'), [{ id }]);
    await Promise.all([blocker.end(), migration.end(), store.close()]);
  });

  it('names the nodes of any version that are connected to PostgreSQL, and waits for them', async () => {
    const database = await newDatabase();
    databases.push(database);
    await fillPostgresBefore('0041', database, []);
    const connect = async (application_name: string) => {
      const client = new pg.Client({ connectionString: database.url, application_name });
      await client.connect();
      return client;
    };
    const older = [await connect('rapsheet'), await connect('rapsheet/0040 web-1:1#ab')];
    const others = [await connect('psql'), await connect('rapsheet/0999 web-2:1#ab')];
    await assert.rejects(
      preparePostgres(database.url),
      /these are connected: an older version from 127\.0\.0\.1 \(1 connections\), 0040 web-1:1#ab from 127\.0\.0\.1 \(1 connections\)\. Stop them/,
    );
    assert.deepEqual(await database.run("select to_regclass('admission') as found"), [
      { found: null },
    ]);
    const migrated = preparePostgres(database.url);
    await Promise.all(older.map((client) => client.end()));
    assert.equal((await migrated)[0], '0041-admission');
    await Promise.all(others.map((client) => client.end()));
  });

  it('runs beside them on PostgreSQL if it is told so', async () => {
    const database = await newDatabase();
    databases.push(database);
    await fillPostgresBefore('0041', database, []);
    const older = new pg.Client({ connectionString: database.url, application_name: 'rapsheet' });
    await older.connect();
    assert.equal(
      (await preparePostgres(database.url, { besideOthers: true }))[0],
      '0041-admission',
    );
    // The first statement of every write of earlier versions.
    await assert.rejects(
      older.query('insert into rapsheet_commits.last_commit values (gen_random_uuid(), 1, now())'),
      /does not exist/,
    );
    await older.end();
  });

  it('needs the file of SQLite for itself, and names the process that has it', async () => {
    const file = join(folder, 'used.db');
    fillSqliteBefore('0041', file, ['pragma journal_mode = wal']);
    const user = spawn(process.execPath, ['-e', USE_DATABASE, file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(user.stdout, 'data');
    assert.throws(
      () => openDatabase(file),
      process.platform === 'linux'
        ? new RegExp(`and process ${user.pid} does: stop it and start again`)
        : /does: stop it and start again/,
    );
    const ended = once(user, 'exit');
    user.stdin.end();
    await ended;
    const db = openDatabase(file);
    assert.ok(
      Number(db.prepare('select oldest_schema from admission').get()?.['oldest_schema']) >= 41,
    );
    db.close();
  });
});

/** As a server of an earlier version between two requests. */
const USE_DATABASE = `
  const { DatabaseSync } = require('node:sqlite');
  const db = new DatabaseSync(process.argv[1]);
  db.exec('pragma journal_mode = wal; select count(*) from migration');
  console.log('open');
  process.stdin.resume().on('end', () => process.exit());
`;

const WAITING = `select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`;

/** Rows of a store before the migrations that must not write them anew. */
const ROWS = [
  `insert into service (slug, name, confidence_scale, hosts, networks, last_sequence, created_at)
    values ('old', 'old', 100, '[]', '[]', 1, '2026-01-01T00:00:00.000Z')`,
  `insert into account (id, name, roles, quota_period, created_at)
    values ('a', 'a', '[]', 'day', '2026-01-01T00:00:00.000Z')`,
  `insert into report (number, id, service_id, created_sequence, sequence, name, tags, host, port,
      sha256, reporter_id, reported_by, reported_at, first_seen_id, reference, confidence, status, updated_at,
      expires_at, corroboration, sightings, recurrence, body)
    values (1, 'r1', 1, 1, 1, 'n', '[]', 'h', 1, '', 'a', 'a', '2026-01-01T00:00:00.000Z', 'r1', '', 1,
      'open', '2026-01-01T00:00:00.000Z', '2036-01-01T00:00:00.000Z', 0, 1, 0, '{}')`,
  `insert into event (service_id, sequence, type, report_id, at)
    values (1, 1, 'created', 'r1', '2026-01-01T00:00:00.000Z')`,
  "insert into c2_reporter values (1, 'h', 1, 'a', 1)",
];

describe('migrations since the table of admission', () => {
  it('write no existing table anew on PostgreSQL', async () => {
    const database = await newDatabase();
    databases.push(database);
    await fillPostgresBefore('0041', database, ROWS);
    const files = () =>
      database.run(
        `select relname, relfilenode from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
      );
    // A row that is updated moves.
    const rows = () =>
      database.run(
        'select report.ctid as report, event.ctid as event, c2_reporter.ctid as c2 from report, event, c2_reporter',
      );
    const [before, rowsBefore] = [await files(), await rows()];
    await preparePostgres(database.url);
    const after = new Map((await files()).map((table) => [table['relname'], table]));
    // One may be dropped.
    const kept = before.filter(({ relname }) => after.has(relname));
    assert.deepEqual(
      kept.map(({ relname }) => after.get(relname)),
      kept,
    );
    assert.deepEqual(await rows(), rowsBefore);
  });

  it('write no existing table anew on SQLite', () => {
    const file = join(folder, 'roots.db');
    fillSqliteBefore('0041', file, ROWS);
    const roots = () => {
      const db = new DatabaseSync(file, { readOnly: true });
      const found = db
        .prepare("select name, rootpage from sqlite_schema where type = 'table' order by name")
        .all()
        .map((row) => ({ ...row }));
      db.close();
      return found;
    };
    const before = roots();
    openDatabase(file).close();
    const after = new Map(roots().map((table) => [table['name'], table]));
    // One may be dropped.
    const kept = before.filter(({ name }) => after.has(name));
    assert.deepEqual(
      kept.map(({ name }) => after.get(name)),
      kept,
    );
  });
});
