import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReportFilter } from '../../src/domain/feed-filter.ts';
import { parseSought } from '../../src/domain/search-query.ts';
import { openDatabase } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { storeOver } from '../../src/storage/store.ts';
import { NOW, newSample, testForms } from './contract.ts';
import { FeedWorld, later } from './feed-world.ts';

/** A store that tells how SQLite goes about whatever it is asked. */
async function watchedStore() {
  const db = openDatabase(':memory:');
  const asked = new Set<string>();
  const prepare = db.prepare.bind(db);
  db.prepare = (sql) => {
    asked.add(sql);
    return prepare(sql);
  };
  const store = storeOver(new SqliteRunner(db), testForms);
  const plans = () =>
    [...asked]
      .filter((sql) => /^(select|update|delete)/.test(sql))
      .map((sql) => ({ sql, plan: prepare(`explain query plan ${sql}`).all().map(detailOf) }));
  return { store, plans, forget: () => asked.clear() };
}

const detailOf = (row: Record<string, unknown>) => String(row['detail']);

/** Lists of arguments and the few feeds there are may be read from end to end; what grows with the reports may not. */
const READS_ALL = /SCAN (?:report|report_tag|event|tombstone|c2_reporter)\b/;
const SORTS = /USE TEMP B-TREE/;

const FILTERS: Readonly<Record<string, ReportFilter>> = {
  nothing: {},
  'a beginning': { createdAfter: NOW },
  'an end': { createdBefore: NOW },
  'a tag': { tags: ['rat'] },
  'a host': { host: 'evil.example' },
  'a port': { port: 443 },
  'a C2': { host: 'evil.example', port: 443 },
  'a file': { sha256: 'a'.repeat(64) },
  'a reporter': { reporter: 'alice' },
  'a confidence': { minConfidence: 50 },
  'a status': { status: 'open' },
  'what has expired': { status: 'expired' },
};

/** How both orders are listed, from the beginning and from the middle. */
async function plansOfList(scope: 'one feed' | 'all feeds', filter: ReportFilter) {
  const { store, plans, forget } = await watchedStore();
  const world = await FeedWorld.in(store);
  const feed = await world.service();
  await world.create(feed);
  forget();
  const middle = filter.createdAfter ?? filter.createdBefore;
  const after = middle === undefined ? '1' : `1 ${middle.toISOString()}`;
  const page = { scope: scope === 'one feed' ? feed : undefined, filter, limit: 1 };
  for (const order of ['asc', 'desc'] as const) {
    await store.feeds.list({ ...page, order, after: undefined });
    await store.feeds.list({ ...page, order, after });
  }
  const found = plans();
  await store.close();
  return found;
}

describe('what SQLite does', () => {
  for (const [name, filter] of Object.entries(FILTERS))
    for (const scope of ['one feed', 'all feeds'] as const)
      it(`to list ${scope} by ${name} follows an index, and sorts nothing`, async () => {
        const plans = await plansOfList(scope, filter);
        assert.ok(plans.length > 2);
        for (const { sql, plan } of plans) {
          assert.doesNotMatch(plan.join('; '), READS_ALL, sql);
          assert.doesNotMatch(plan.join('; '), SORTS, sql);
        }
      });

  it('for the C2 of samples follows an index', async () => {
    const { store, plans, forget } = await watchedStore();
    const details = { evidence: [], indicators: [], facts: {}, members: [] };
    const c2s = [{ host: 'evil.example', port: 443, family: 'LANTERN' }];
    await store.samples.finish({ report: newSample(), details: { ...details, c2s } }, NOW);
    forget();
    for (const text of ['evil.example:443', 'evil.example', '.example'])
      await store.search.search({ sought: parseSought(text) ?? assert.fail(), limit: 10 });
    const asked = plans().filter(({ sql }) => sql.includes('sample_c2'));
    assert.equal(asked.length, 3);
    for (const { sql, plan } of asked) {
      assert.match(plan.join('; '), /SEARCH sample_c2 USING/, sql);
      assert.doesNotMatch(plan.join('; '), SORTS, sql);
    }
    await store.close();
  });

  it('for a change, its events and its expiry follows an index', async () => {
    const { store, plans, forget } = await watchedStore();
    const world = await FeedWorld.in(store);
    const feed = await world.service(1);
    forget();
    const c2 = { host: 'evil.example', port: 443 };
    const made = [await world.create(feed, { c2 }), await world.create(feed, { c2 })];
    await world.set(made[0] ?? assert.fail(), 'acknowledged');
    await world.delete(made[1] ?? assert.fail());
    await world.create(feed, { c2, reportedAt: later(7_200_000) });
    await store.feeds.expire(later(9e9), 10);
    await world.changes(feed);
    await world.changes(undefined);
    await store.feeds.count(feed, {});
    await store.feeds.forgetChanges(later(9e9), 10);
    for (const { sql, plan } of plans()) assert.doesNotMatch(plan.join('; '), READS_ALL, sql);
    await store.close();
  });
});
