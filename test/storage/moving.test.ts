import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { examineStore } from '../../src/operations/examine-store.ts';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { openSqliteDatabase } from '../../src/server/open-sqlite-database.ts';
import { type MovePlan, moveStore } from '../../src/storage/moving/move.ts';
import type { MoveEndpoint } from '../../src/storage/moving/move-endpoint.ts';
import { reopen } from '../../src/storage/moving/moved-away.ts';
import {
  openPostgresSource,
  openPostgresTarget,
} from '../../src/storage/moving/postgres-endpoint.ts';
import { openSqliteSource, openSqliteTarget } from '../../src/storage/moving/sqlite-endpoint.ts';
import {
  INSTALLATION,
  LEFT_OUT,
  LEFT_OUT_COLUMNS,
  MOVED,
} from '../../src/storage/moving/tables.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { countJobs } from '../queue/count-jobs.ts';
import { asRead, FeedRig, idIn } from './contracts/feed-rig.ts';
import { readVersions } from './contracts/published-contract.ts';
import { NOW, testForms } from './contracts/store-contract.ts';
import { type Filled, fillStore } from './filled.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-moving-'));
const log = { error: () => undefined, warn: () => undefined };

const openSqlite = (file: string) => openSqliteDatabase(file, testForms);
const openPostgres = (url: string) =>
  openPostgresDatabase({ url, poolSize: 4, serializers: testForms, log });

let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `${files}.db`);
};

/** The caller of a move writes the jobs; here they are only counted. */
const jobs: string[] = [];
const targetOn = (url: string) =>
  openPostgresTarget(url, async (_, { job }) => {
    jobs.push(job.key);
  });

async function move(source: MoveEndpoint, target: MoveEndpoint, more: Partial<MovePlan> = {}) {
  try {
    return await moveStore({ source, target, serializers: testForms, now: NOW, ...more });
  } finally {
    await source.close();
    await target.close();
  }
}

/** Lets tests use the source of a move again. */
async function openAgain(source: MoveEndpoint) {
  await reopen(source);
  await source.close();
}

async function wrongIn(store: Store) {
  const has = async () => true;
  const files = { has, read: async () => undefined };
  const results = await Array.fromAsync(examineStore({ store, files }, { quick: true }));
  return results.filter(({ wrong }) => wrong.length > 0);
}

/** The destinations of mail, and the last mails to them. */
async function mailIn(store: Store) {
  const destinations = await store.mail.list();
  const page = { limit: 10, before: undefined, state: undefined };
  const deliveries = await Promise.all(
    destinations.map(({ service }) => store.mail.deliveries(service, page)),
  );
  return { destinations, deliveries: deliveries.flat() };
}

/** All objects of the schema, with the statements that created them. */
function schemaOf(file: string) {
  const db = new DatabaseSync(file, { readOnly: true });
  const made = db
    .prepare('select name, sql from sqlite_schema order by name')
    .all()
    .map((row) => ({ ...row }));
  db.close();
  return made;
}

describe('moving a store', () => {
  const first = newFile();
  let postgres: TestDatabase;
  let filled: Filled;
  before(async () => {
    postgres = await newDatabase();
    const { store } = openSqlite(first);
    filled = await fillStore(store, 40);
    await store.close();
  });
  after(async () => {
    await postgres.drop();
    rmSync(folder, { recursive: true });
  });

  it('knows every table and every column of both databases', async () => {
    const moved = [...MOVED, INSTALLATION].flatMap(({ name, columns }) =>
      columns.map((column) => `${name}.${column}`),
    );
    const isOurs = (column: string) =>
      !LEFT_OUT.some((name) => column.startsWith(`${name}.`) || column.startsWith(`${name}_`)) &&
      !LEFT_OUT_COLUMNS.includes(column);
    const db = new DatabaseSync(first, { readOnly: true });
    const inSqlite = db
      .prepare(
        "select t.name || '.' || c.name as name from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite_%'",
      )
      .all()
      .map(({ name }) => String(name));
    db.close();
    assert.deepEqual(inSqlite.filter(isOurs).sort(), moved.sort());
    const { store } = await openPostgres(postgres.url);
    await store.close();
    const inPostgres = await postgres.run(
      "select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'",
    );
    assert.deepEqual(
      inPostgres
        .map(({ name }) => String(name))
        .filter(isOurs)
        .sort(),
      moved.sort(),
    );
  });

  it('copies everything to PostgreSQL and back unchanged', async () => {
    const indexes = 'select indexname, indexdef from pg_indexes where schemaname = $1 order by 1';
    const made = await postgres.run(indexes, ['public']);
    const there = await move(await openSqliteSource(first), await targetOn(postgres.url));
    assert.equal(there.isEqual, true);
    assert.deepEqual(await postgres.run(indexes, ['public']), made);
    assert.ok(
      MOVED.every(
        ({ name }) =>
          // The table `moving` was dropped.
          ['back_fill', 'pending_rename'].includes(name) ||
          there.tables.some((one) => one.name === name && one.source.rows > 0),
      ),
      'a table was empty, so nothing is known of it',
    );
    assert.deepEqual(jobs, [filled.waiting, filled.done].sort());
    const again = newFile();
    const back = await move(await openPostgresSource(postgres.url), openSqliteTarget(again));
    assert.equal(back.isEqual, true);
    assert.deepEqual(
      back.tables.map(({ name, target }) => [name, target]),
      there.tables.map(({ name, source }) => [name, source]),
    );
    assert.deepEqual(schemaOf(again), schemaOf(first));
    await openAgain(await openSqliteSource(first));
    await openAgain(await openPostgresSource(postgres.url));
    const { store, queue } = openSqlite(again);
    assert.deepEqual(await wrongIn(store), []);
    assert.equal(await countJobs(queue), 2);
    await store.close();
  });

  it('leaves a working store, with numbers, sequences and words that continue', async () => {
    const { store } = await openPostgres(postgres.url);
    const source = openSqlite(first);
    const versions = await readVersions(source.store, undefined);
    const mail = await mailIn(source.store);
    await source.store.close();
    assert.equal(mail.destinations.length, 1);
    assert.ok(mail.deliveries.length > 0);
    assert.deepEqual(await mailIn(store), mail);
    assert.ok(versions.some((version) => 'withdrawn' in version));
    for (const slug of filled.services)
      assert.deepEqual(
        await readVersions(store, slug),
        versions.filter((one) => ('report' in one ? one.report : one.withdrawn).service === slug),
      );
    const rig = await FeedRig.in(store);
    const { id } = await rig.create(filled.services[0], { tags: ['brand-new'] });
    const found = await store.feeds.list(
      {
        scope: undefined,
        filter: {},
        order: 'desc',
        after: undefined,
        limit: 1,
      },
      asRead,
    );
    assert.equal(idIn(found.reports[0]?.body ?? ''), id);
    const wrong = (await wrongIn(store)).flatMap(({ wrong }) => wrong);
    // The jobs of this test were only counted.
    assert.deepEqual(
      wrong,
      [filled.waiting, filled.done]
        .sort()
        .map((sha256) => `sample ${sha256}: it is pending, but has no job`),
    );
    await store.close();
  });

  /** Throws after that many steps. */
  const breakingAfter = (steps: number) => {
    let left = steps;
    return () => {
      left -= 1;
      if (left < 0) throw new Error('broken off');
    };
  };

  for (const [name, open] of [
    ['SQLite', (file: string) => openSqliteTarget(file)],
    ['PostgreSQL', (_: string, database: TestDatabase) => targetOn(database.url)],
  ] as const) {
    it(`resumes a move to ${name} after an interruption at any step`, async () => {
      const database = await newDatabase();
      const file = newFile();
      const open1 = async () => open(file, database);
      const seen: boolean[] = [];
      for (let steps = 0; ; steps += 3) {
        const started = (isResumed: boolean) => seen.push(isResumed);
        const source = await openSqliteSource(first);
        try {
          const progress = breakingAfter(steps);
          const result = await move(source, await open1(), { progress, started });
          assert.equal(result.isEqual, true);
          break;
        } catch (cause) {
          assert.match(String(cause), /broken off/);
        }
      }
      assert.ok(seen.length > 3);
      assert.deepEqual([seen[0], ...new Set(seen.slice(1))], [false, true]);
      await openAgain(await openSqliteSource(first));
      await database.drop();
    });
  }

  it('is stopped by a signal, and then no program opens the target as a store', async () => {
    const file = newFile();
    const stop = new AbortController();
    const progress = () => stop.abort();
    await assert.rejects(
      move(await openSqliteSource(first), openSqliteTarget(file), {
        progress,
        signal: stop.signal,
      }),
      /the move was stopped/,
    );
    assert.throws(() => openSqlite(file), /a move into this store has not ended/);
  });

  it('is not resumed when the source has changed since', async () => {
    const [source, file] = [newFile(), newFile()];
    const { store } = openSqlite(source);
    const { services } = await fillStore(store);
    await store.close();
    const progress = breakingAfter(2);
    await assert.rejects(
      move(await openSqliteSource(source), openSqliteTarget(file), { progress }),
      /broken off/,
    );
    const again = openSqlite(source).store;
    const rig = await FeedRig.in(again);
    await rig.create(services[0]);
    await again.close();
    await assert.rejects(
      move(await openSqliteSource(source), openSqliteTarget(file)),
      /has changed since the move .* was begun/,
    );
  });

  it('finds a row that differs, and leaves the target unused', async () => {
    const file = newFile();
    let isChanged = false;
    const target = openSqliteTarget(file);
    const result = await move(await openSqliteSource(first), {
      name: target.name,
      query: (sql, values) => target.query(sql, values),
      transact: (work) => target.transact(work),
      insert: (table, rows) => target.insert(table, rows),
      perform: (work) => target.perform(work),
      indexes: () => target.indexes(),
      lastReport: () => target.lastReport(),
      async setNumbers(last) {
        await target.setNumbers(last);
        await target.query("update token set label = 'other'");
        isChanged = true;
      },
      settle: () => target.settle(),
      close: () => target.close(),
    });
    assert.ok(isChanged);
    assert.equal(result.isEqual, false);
    assert.deepEqual(
      result.tables.filter(({ isEqual }) => !isEqual).map(({ name }) => name),
      ['token'],
    );
    assert.throws(() => openSqlite(file), /a move into this store has not ended/);
  });

  it('refuses a target that is in use', async () => {
    const file = newFile();
    const { store } = openSqlite(file);
    await FeedRig.in(store);
    await store.close();
    await assert.rejects(
      move(await openSqliteSource(first), openSqliteTarget(file)),
      /is not empty \(account has rows\)/,
    );
    await assert.rejects(
      move(await openSqliteSource(first), await targetOn(postgres.url)),
      /PostgreSQL at .* is not empty \(service has rows\)/,
    );
  });

  it('refuses stores of newer and older programs', async () => {
    for (const [change, message] of [
      ["insert into migration values ('9999-future', '')", /newer Rapsheet/],
      ["delete from migration where name like '0009%'", /older Rapsheet/],
    ] as const) {
      const file = newFile();
      await openSqlite(file).store.close();
      const db = new DatabaseSync(file);
      db.exec(change);
      db.close();
      await assert.rejects(openSqliteSource(file), message);
      await assert.rejects(move(await openSqliteSource(first), openSqliteTarget(file)), message);
    }
  });

  it('blocks writes to the source during the move', async () => {
    const source = await openSqliteSource(first);
    const db = new DatabaseSync(first);
    assert.throws(() => db.exec("update account set name = 'x'"), /locked/);
    db.close();
    await source.close();
    const held = await openPostgresSource(postgres.url);
    await assert.rejects(
      postgres.run("set lock_timeout = 50; update account set name = 'x'"),
      /lock timeout/,
    );
    await held.close();
  });

  it('leaves a source that is refused until it is opened again', async () => {
    const [source, file] = [newFile(), newFile()];
    await openSqlite(source).store.close();
    await move(await openSqliteSource(source), openSqliteTarget(file));
    assert.throws(() => openSqlite(source), /this store was moved to another database/);
    await assert.rejects(
      move(await openSqliteSource(source), openSqliteTarget(newFile())),
      /was moved already/,
    );
    await assert.rejects(
      move(await openSqliteSource(first), openSqliteTarget(source)),
      /is not empty \(it was moved to another database\)/,
    );
    await openAgain(await openSqliteSource(source));
    const again = openSqlite(source).store;
    await FeedRig.in(again);
    await again.close();
    const database = await newDatabase();
    await move(await openSqliteSource(file), await targetOn(database.url));
    const last = newFile();
    await move(await openPostgresSource(database.url), openSqliteTarget(last));
    await assert.rejects(openPostgres(database.url), /this store was moved to another database/);
    await openAgain(await openPostgresSource(database.url));
    const { store } = await openPostgres(database.url);
    await FeedRig.in(store);
    await store.close();
    const unmoved = await openSqliteSource(last);
    await assert.rejects(reopen(unmoved), /was not moved/);
    await unmoved.close();
    await database.drop();
  });

  it('is completed by the next call if it ends after the source was marked', async () => {
    const [source, file] = [newFile(), newFile()];
    await openSqlite(source).store.close();
    const target = openSqliteTarget(file);
    const query = target.query.bind(target);
    target.query = async (sql, values) => {
      if (sql === 'drop table moving') throw new Error('broken off');
      return await query(sql, values);
    };
    await assert.rejects(move(await openSqliteSource(source), target), /broken off/);
    for (const one of [source, file]) assert.throws(() => openSqlite(one), /move/);
    await move(await openSqliteSource(source), openSqliteTarget(file));
    await openSqlite(file).store.close();
    assert.throws(() => openSqlite(source), /this store was moved to another database/);
  });

  it('refuses a source that a server uses', async () => {
    const file = newFile();
    const { store } = openSqlite(file);
    await assert.rejects(openSqliteSource(file), /cannot be locked: another process uses it/);
    await store.close();
    const other = new pg.Client({
      connectionString: postgres.url,
      application_name: 'rapsheet/0041 web-1:4711#9f3a',
    });
    await other.connect();
    await assert.rejects(
      openPostgresSource(postgres.url),
      /is in use: stop these first, and move it then: 0041 web-1:4711#9f3a from 127\.0\.0\.1/,
    );
    await other.end();
  });

  it('allows one move to a database at a time', async () => {
    const database = await newDatabase();
    const one = await targetOn(database.url);
    await assert.rejects(targetOn(database.url), /another move to .* is running/);
    await one.close();
    await database.drop();
  });
});
