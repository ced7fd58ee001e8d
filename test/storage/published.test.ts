import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import type { FeedScope } from '../../src/ports/feed-store.ts';
import type { PublishedVersion } from '../../src/ports/published-versions.ts';
import type { Store } from '../../src/ports/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { openMemoryDatabase, openMemoryStore } from '../empty-store.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { until } from '../until.ts';
import { DAY_MS, FeedRig, later } from './contracts/feed-rig.ts';
import { checkOrder, FAR, idOf, readVersions } from './contracts/published-contract.ts';
import { testForms } from './contracts/store-contract.ts';
import { hold, Nodes } from './postgres/nodes.ts';
import { fillPostgresBefore, fillSqliteBefore, openUpgraded } from './upgrade.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-published-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await newDatabase();
  databases.push(database);
  return database;
}

/** Reports of several feeds that were added in the same millisecond, which is long past. */
async function checkSameTime(store: Store, run: (sql: string) => unknown): Promise<void> {
  const rig = await FeedRig.in(store);
  const feeds = await Promise.all(Array.from({ length: 5 }, () => rig.service()));
  for (const feed of feeds) {
    await store.feeds.createMany([rig.report(feed), rig.report(feed), rig.report(feed)]);
    const [first] = await readVersions(store, feed);
    await rig.delete({ service: feed, id: first ? idOf(first) : '' });
  }
  await run('update report set added_at = sequence');
  await run('update tombstone set added_at = sequence');
  await run('update service set last_added = 4');
  const versions: PublishedVersion[] = [];
  for (const length of [5, 5, 5, 0]) {
    const since = versions.at(-1)?.addedAt;
    const page = await store.published.page({
      scope: undefined,
      after: since,
      limit: 2,
      now: FAR,
    });
    assert.equal(page.versions.length, length);
    versions.push(...page.versions);
    assert.equal(page.hasMore, length > 0 && versions.length < 15);
  }
  checkOrder(versions, { isUnique: false });
  assert.equal(new Set(versions.map(idOf)).size, 15);
}

describe('versions of one millisecond in several feeds', () => {
  it('are on one page on SQLite', async () => {
    const db = openMemoryDatabase();
    const store = createStore(new SqliteRunner(db), testForms);
    await checkSameTime(store, (sql) => db.exec(sql));
    await store.close();
  });

  it('are on one page on PostgreSQL', async () => {
    const database = await emptyDatabase();
    const store = await openUpgraded(database);
    await checkSameTime(store, (sql) => database.run(sql));
    await store.close();
  });
});

describe('published versions on SQLite', () => {
  it('grow over all feeds, even if the clock is set back', async () => {
    const store = openMemoryStore(testForms);
    const rig = await FeedRig.in(store);
    const feeds = [await rig.service(), await rig.service()];
    const ids: string[] = [];
    for (const offset of [DAY_MS, 0, -DAY_MS, 0])
      for (const feed of feeds)
        ids.push((await rig.create(feed, { reportedAt: later(offset) })).id);
    const versions = await readVersions(store, undefined, { limit: 3 });
    checkOrder(versions);
    assert.deepEqual(versions.map(idOf), ids);
    await store.close();
  });
});

/** The versions that a reader gets who continues after the last one, until it has that many. */
async function follow(
  store: Store,
  scope: FeedScope,
  { count, now }: { readonly count: number; readonly now: () => Date },
): Promise<readonly PublishedVersion[]> {
  const versions: PublishedVersion[] = [];
  await until(async () => {
    const after = versions.at(-1)?.addedAt;
    const page = await store.published.page({ scope, after, limit: 100, now: now() });
    versions.push(...page.versions);
    return versions.length >= count;
  }, 'all versions are published');
  return versions;
}

describe('a feed that is ahead of the clock', () => {
  it('publishes each version when its time has come on SQLite', async () => {
    const store = openMemoryStore(testForms);
    const rig = await FeedRig.in(store);
    const feed = await rig.service();
    const reports = Array.from({ length: 5 }, () => rig.report(feed));
    await store.feeds.createMany(reports);
    await rig.delete(reports[1] ?? assert.fail());
    const ids = [0, 2, 3, 4, 1].map((index) => reports[index]?.id);
    for (const scope of [feed, undefined]) {
      // The deleted report had the second millisecond.
      for (const [ms, count] of [0, 1, 2, 3, 4, 5].map((one) => [one, Math.max(one, 1)] as const)) {
        const page = await store.published.page({
          scope,
          after: undefined,
          limit: 9,
          now: later(ms),
        });
        assert.deepEqual(page.versions.map(idOf), ids.slice(0, count), `${scope} ${ms}`);
        assert.equal(page.hasMore, false);
      }
      let ms = -1;
      const now = () => {
        ms += 1;
        return later(ms);
      };
      const followed = await follow(store, scope, { count: ids.length, now });
      checkOrder(followed);
      assert.deepEqual(followed.map(idOf), ids);
    }
    for (const { id } of reports) assert.ok(await store.published.find(feed, id), 'found at once');
    await store.close();
  });

  it('does not wait for a clock that was set back by hours on SQLite', async () => {
    const store = openMemoryStore(testForms);
    const rig = await FeedRig.in(store);
    const feed = await rig.service();
    const ids = [];
    for (const offset of [DAY_MS, 0, 5])
      ids.push((await rig.create(feed, { reportedAt: later(offset) })).id);
    for (const scope of [feed, undefined]) {
      const page = await store.published.page({ scope, after: undefined, limit: 9, now: later(5) });
      assert.deepEqual(page.versions.map(idOf), ids);
    }
    await store.close();
  });

  it('publishes each version when its time has come on PostgreSQL', async () => {
    const store = await openUpgraded(await emptyDatabase());
    const rig = await FeedRig.in(store);
    const feed = await rig.service();
    const reports = Array.from({ length: 2000 }, () => rig.report(feed));
    const startedAt = Date.now();
    await store.feeds.createMany(reports);
    const ids = reports.map(({ id }) => id);
    const [own, all] = await Promise.all(
      [feed, undefined].map((scope) =>
        follow(store, scope, { count: reports.length, now: () => new Date() }),
      ),
    );
    for (const versions of [own ?? [], all ?? []]) {
      assert.deepEqual(versions.map(idOf), ids);
      checkOrder(versions);
    }
    // Two thousand milliseconds have gone by, although the call took less.
    assert.ok(Date.now() - startedAt >= reports.length - 1);
    await store.close();
  });
});

/** Adds a report like that one, as a slow create does. */
const laterReport = (id: string) => `
  insert into report select late.* from report, jsonb_populate_record(report, jsonb_build_object(
    'id', 'late', 'number', nextval('report_number'), 'sequence', report.sequence + 1,
    'added_at', floor(extract(epoch from clock_timestamp()) * 1000)
  )) as late where report.id = '${id}';
  update service set last_sequence = 2, last_added = report.added_at
  from report where report.id = 'late' and service.id = report.service_id`;

describe('published versions on PostgreSQL', () => {
  it('of all feeds wait for a transaction that may add earlier ones', async () => {
    const nodes = await Nodes.open();
    const [store, other] = [await nodes.add(), await nodes.add()];
    try {
      const rig = await FeedRig.in(store);
      const [slow, fast] = [await rig.service(), await rig.service()];
      const { id } = await rig.create(slow);
      const after = (await store.published.find(slow, id))?.addedAt;
      const idsOf = async (scope: FeedScope) =>
        (await readVersions(other, scope, { after })).map(idOf);
      const client = new pg.Client({ connectionString: nodes.database.url });
      const release = await hold(client, laterReport(id));
      const early = await rig.create(fast);
      assert.deepEqual(await idsOf(fast), [early.id]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.deepEqual(await idsOf(undefined), []);
      await client.query('commit');
      await release();
      await until(async () => (await idsOf(undefined)).length === 2, 'both are published');
      assert.deepEqual(await idsOf(undefined), ['late', early.id]);
    } finally {
      await nodes.close();
    }
  });

  it('of all feeds do not wait for a transaction that only reads', async () => {
    const nodes = await Nodes.open();
    const store = await nodes.add();
    try {
      const rig = await FeedRig.in(store);
      const client = new pg.Client({ connectionString: nodes.database.url });
      const release = await hold(client, 'select count(*) from report');
      await rig.create(await rig.service());
      await until(
        async () => (await readVersions(store, undefined)).length === 1,
        'the version is published',
      );
      await release();
    } finally {
      await nodes.close();
    }
  });
});

const OLD_AT = '2026-01-01T00:00:00.000Z';
const OLD_MS = Date.parse(OLD_AT);
/** The milliseconds after `OLD_AT` of the last change of each report, by sequence. */
const CHANGED_AT = [5, 5, 5, 2, 300, 200];

const OLD_ROWS = [
  `insert into service (slug, name, confidence_scale, hosts, networks, last_sequence, created_at)
    values ('old', 'old', 100, '[]', '[]', 7, '${OLD_AT}'), ('gone', 'gone', 100, '[]', '[]', 1, '${OLD_AT}'),
      ('new', 'new', 100, '[]', '[]', 0, '${OLD_AT}')`,
  `insert into account (id, name, roles, quota_period, created_at) values ('a', 'a', '[]', 'day', '${OLD_AT}')`,
  ...CHANGED_AT.map((ms, index) => {
    // In the opposite order of their numbers.
    const [number, at] = [6 - index, new Date(OLD_MS + ms).toISOString()];
    return `insert into report (number, id, service_id, created_sequence, sequence, name, tags, host, port,
      sha256, reporter_id, reported_by, reported_at, first_seen_id, reference, confidence, status, updated_at,
      expires_at, corroboration, sightings, recurrence, body)
    values (${number}, 'r${index}', 1, 1, ${index + 1}, 'n', '[]', 'h', 1, '', 'a', 'a', '${OLD_AT}', 'r1', '', 1,
      'open', '${at}', '2036-01-01T00:00:00.000Z', 0, 1, 0, '{}')`;
  }),
  `insert into tombstone (report_id, service_id, sequence, deleted_at, deleted_by, reason)
    values ('r9', 1, 7, '2026-01-01T00:00:01.250Z', 'a', ''), ('r8', 2, 1, '${OLD_AT}', 'a', '')`,
  `insert into event (service_id, sequence, type, report_id, at)
    values (1, 7, 'deleted', 'r9', '2026-01-01T00:00:01.250Z'), (2, 1, 'deleted', 'r8', '${OLD_AT}')`,
];

/** Each has the time of its change, or the millisecond after the change before it. */
async function checkUpgraded(store: Store): Promise<void> {
  const versions = await readVersions(store, 'old');
  assert.deepEqual(
    versions.map((version) => [idOf(version), version.addedAt.getTime() - OLD_MS]),
    [5, 6, 7, 8, 300, 301].map((ms, index) => [`r${index}`, ms]),
  );
  // Tombstones of the older version are not published, but they were changes.
  assert.deepEqual(await store.published.newest('old'), new Date(OLD_MS + 1250));
  assert.deepEqual(await store.published.newest('gone'), new Date(OLD_MS));
  assert.equal(await store.published.newest('new'), undefined);
  assert.deepEqual(await readVersions(store, 'gone'), []);
  assert.equal(await store.published.find('old', 'r9'), undefined);
  const rig = await FeedRig.in(store);
  const { id } = await rig.create('old');
  const after = versions.at(-1)?.addedAt;
  assert.deepEqual((await readVersions(store, 'old', { after })).map(idOf), [id]);
  const check = store.examination.checks.find(({ name }) => name === 'order of publication');
  for await (const { wrong } of check?.run() ?? assert.fail()) assert.deepEqual(wrong, []);
}

describe('reports that are older than the order of publication', () => {
  it('are published in the order of their changes on SQLite', async () => {
    const file = join(folder, 'old.db');
    fillSqliteBefore('0028', file, [...OLD_ROWS, 'update installation set last_report = 6']);
    const store = openSqliteStore(file, testForms);
    await checkUpgraded(store);
    await store.close();
  });

  it('are published in the order of their changes on PostgreSQL', async () => {
    const database = await emptyDatabase();
    await fillPostgresBefore('0028', database, [...OLD_ROWS, "select setval('report_number', 6)"]);
    const store = await openUpgraded(database);
    await checkUpgraded(store);
    await store.close();
  });
});
