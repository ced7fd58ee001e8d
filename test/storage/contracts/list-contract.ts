import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type DeskStatus,
  type ReportStatus,
  UNRESOLVED_STATUSES,
} from '../../../src/domain/reports/desk.ts';
import type { ReportFilter } from '../../../src/domain/reports/feed-filter.ts';
import type { Report } from '../../../src/domain/reports/report.ts';
import { parseSearchInput } from '../../../src/domain/search-query.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { asRead, FeedRig, idIn, later, type ReadReport } from './feed-rig.ts';
import { hex, NOW } from './store-contract.ts';

const HOSTS = ['a.example', 'b.example', '192.0.2.7'];
const PORTS = [80, 443, 8080];
const HASHES = [hex(32), hex(32)];
const TAGS = ['rat', 'loader', 'ü'];
const STATUSES: readonly ReportStatus[] = [
  'open',
  'acknowledged',
  'actioned',
  'rejected',
  'expired',
];

type Fate = ReportStatus | 'deleted';

/** Some times are equal, and some decrease, as after a correction of the clock. */
const times = fc.integer({ min: 0, max: 9 }).map((step) => later(step * 1000));

const optional = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined, freq: 1 });

function filters(names: readonly string[]): fc.Arbitrary<ReportFilter> {
  return fc.record({
    createdAfter: optional(times),
    createdBefore: optional(times),
    name: optional(fc.constantFrom(...TAGS)),
    tags: optional(fc.subarray(TAGS)),
    host: optional(fc.constantFrom(...HOSTS)),
    port: optional(fc.constantFrom(...PORTS)),
    sha256: optional(fc.constantFrom(...HASHES)),
    reporter: optional(fc.constantFrom(...names)),
    minConfidence: optional(fc.integer({ min: 0, max: 11 })),
    status: optional(fc.constantFrom(...STATUSES)),
  });
}

/** Every filter alone. */
function singleFilters(names: readonly string[]): readonly ReportFilter[] {
  return [
    {},
    { createdAfter: later(3000) },
    { createdBefore: later(6000) },
    { createdAfter: later(2000), createdBefore: later(5000) },
    { name: 'rat' },
    { tags: ['rat'] },
    { host: 'a.example' },
    { port: 443 },
    { host: 'b.example', port: 80 },
    { sha256: HASHES[0] },
    { reporter: names[0] },
    { minConfidence: 5 },
    ...STATUSES.map((status) => ({ status })),
  ];
}

function fits(report: Report, filter: ReportFilter): boolean {
  const isWanted = <Value>(wanted: Value | undefined, has: Value) =>
    wanted === undefined || wanted === has;
  return (
    isWanted(filter.name, report.name) &&
    isWanted(filter.host, report.c2.host) &&
    isWanted(filter.port, report.c2.port) &&
    isWanted(filter.sha256, report.sha256) &&
    isWanted(filter.reporter, report.reportedBy) &&
    (filter.status === undefined ? report.status !== 'expired' : report.status === filter.status) &&
    report.confidence >= (filter.minConfidence ?? 0) &&
    report.reportedAt >= (filter.createdAfter ?? new Date(0)) &&
    report.reportedAt < (filter.createdBefore ?? new Date(8e15)) &&
    (filter.tags ?? []).every((tag) => report.tags.includes(tag))
  );
}

/** The order and content of lists on every database. */
export function listContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} lists of reports`, () => {
    let store: Store;
    let rig: FeedRig;
    let feeds: readonly string[];
    let names: readonly string[];
    /** In the order of creation. */
    let everything: readonly Report[];
    /** Reports that no test changes, each read once. */
    const known = new Map<string, Promise<ReadReport>>();

    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
      feeds = [await rig.service(10, 10), await rig.service(20, 10), await rig.service()];
      await fill();
    });
    after(() => store.close());

    async function fill(): Promise<void> {
      const people = [rig.reporter, await rig.account()];
      names = people.map((person) => person.name);
      const drafts = fc.sample(
        fc.record({
          feed: fc.constantFrom(...feeds.slice(0, 2)),
          person: fc.constantFrom(...people),
          host: fc.constantFrom(...HOSTS),
          port: fc.constantFrom(...PORTS),
          sha256: fc.constantFrom(...HASHES),
          tags: fc.subarray(TAGS),
          confidence: fc.integer({ min: 0, max: 10 }),
          reportedAt: times,
          fate: fc.constantFrom(...STATUSES, 'deleted' as const, 'open' as const),
        }),
        { numRuns: 160, seed: 4 },
      );
      const made = drafts.map(({ feed, person, host, port, fate, ...members }) => ({
        fate,
        report: rig.report(feed, {
          ...members,
          c2: { host, port },
          reporterId: person.id,
          reportedBy: person.name,
        }),
      }));
      await store.feeds.createMany(made.map(({ report }) => report));
      await decide(made);
      everything = await survivors(made.map(({ report }) => report));
    }

    async function decide(made: readonly { fate: Fate; report: NewReport }[]): Promise<void> {
      const owner = await rig.account(...feeds);
      const each = async (
        fates: readonly Fate[],
        deed: (report: NewReport, fate: Fate) => unknown,
      ) => {
        for (const { fate, report } of made) if (fates.includes(fate)) await deed(report, fate);
      };
      const set = (report: NewReport, fate: Fate) =>
        rig.set(report, fate as DeskStatus, NOW, owner);
      await each(['deleted'], (report) => rig.delete(report));
      await each(['actioned', 'rejected'], set);
      // Closed until those have expired that are to.
      await each(UNRESOLVED_STATUSES, (report) => set(report, 'rejected'));
      while ((await store.feeds.expire(later(9e9), 50)) > 0);
      await each(UNRESOLVED_STATUSES, set);
    }

    async function survivors(made: readonly NewReport[]): Promise<readonly Report[]> {
      const found = await Promise.all(
        made.map(({ service, id }) => store.reports.find(service, id)),
      );
      return found.filter((report) => report !== undefined);
    }

    function expected(scope: string | undefined, filter: ReportFilter): readonly string[] {
      return everything
        .filter((report) => scope === undefined || report.service === scope)
        .filter((report) => fits(report, filter))
        .map(({ id }) => id);
    }

    function readOnce(key: { readonly service: string; readonly id: string }): Promise<ReadReport> {
      const reading = known.get(key.id) ?? rig.read(key);
      known.set(key.id, reading);
      return reading;
    }

    async function check(
      scope: string | undefined,
      filter: ReportFilter,
      { order, limit }: { order: 'asc' | 'desc'; limit: number },
    ): Promise<void> {
      const listed = (await rig.list(scope, filter, { order, limit, read: readOnce })).filter(
        ({ service }) => feeds.includes(service),
      );
      const ids = listed.map(({ id }) => id);
      const wanted = expected(scope, filter);
      assert.deepEqual(ids.toSorted(), wanted.toSorted(), 'each of them once');
      const forwards = order === 'asc' ? listed : listed.toReversed();
      assert.ok(isByCreation(forwards, wanted), 'in the order of creation');
    }

    /** By number; for a range of time alone, by time first. */
    function isByCreation(listed: readonly Report[], wanted: readonly string[]): boolean {
      const ids = listed.map(({ id }) => id);
      if (ids.every((id, at) => id === wanted[at])) return true;
      return listed.every(
        ({ reportedAt }, at) => reportedAt >= (listed[at - 1]?.reportedAt ?? NOW),
      );
    }

    it('there are reports of every kind to choose from', () => {
      assert.deepEqual(new Set(everything.map(({ status }) => status)), new Set(STATUSES));
      assert.ok(everything.length > 100);
    });

    it('have the matches of each filter alone, in pages of any length, in both orders', async () => {
      const pages = [
        { order: 'asc', limit: 25 },
        { order: 'desc', limit: 25 },
        { order: 'desc', limit: 1000 },
      ] as const;
      for (const filter of singleFilters(names))
        for (const scope of [...feeds, undefined])
          for (const page of pages) await check(scope, filter, page);
    });

    it('have the matches of combined filters', async () => {
      const asked = fc.record({
        scope: fc.constantFrom(...feeds, undefined),
        filter: filters(names),
        order: fc.constantFrom('asc' as const, 'desc' as const),
        limit: fc.integer({ min: 5, max: 60 }),
      });
      await fc.assert(
        fc.asyncProperty(asked, ({ scope, filter, ...page }) => check(scope, filter, page)),
        { numRuns: 100, seed: 4 },
      );
    });

    it('are counted as they are listed', async () => {
      for (const filter of singleFilters(names))
        for (const scope of feeds)
          assert.deepEqual(
            await store.feeds.count(scope, filter),
            { total: expected(scope, filter).length, isLowerBound: false },
            JSON.stringify(filter),
          );
      const all = await store.feeds.count(undefined, { sha256: HASHES[0] });
      assert.equal(all.total, expected(undefined, { sha256: HASHES[0] }).length);
    });

    it('are empty for a feed that does not exist', async () => {
      assert.deepEqual(await rig.list('nowhere'), []);
      const none = { total: 0, isLowerBound: false };
      assert.deepEqual(await store.feeds.count('nowhere', {}), none);
    });

    it('continue after a page, even when reports were deleted or created since', async () => {
      const feed = await rig.service();
      const made = await Promise.all(Array.from({ length: 6 }, () => rig.create(feed)));
      for (const order of ['asc', 'desc'] as const) {
        const query = { scope: feed, filter: {}, order, limit: 2 };
        const first = await store.feeds.list({ ...query, after: undefined }, asRead);
        const read = first.reports.map(({ body }) => idIn(body));
        await rig.delete({ service: feed, id: read[1] ?? assert.fail() });
        const next = await store.feeds.list({ ...query, limit: 100, after: first.next }, asRead);
        assert.equal(next.reports.length, order === 'asc' ? 4 : 3);
        assert.ok(next.reports.every(({ body }) => !read.includes(idIn(body))));
      }
      assert.equal((await rig.list(feed)).length, made.length - 2);
    });

    it('never reuse the number of a deleted report', async () => {
      const feed = await rig.service();
      const newest = await rig.create(feed);
      const query = { scope: undefined, filter: { host: newest.c2.host }, order: 'asc' as const };
      const page = await store.feeds.list({ ...query, after: undefined, limit: 1 }, asRead);
      assert.equal(page.next, undefined);
      const more = await rig.create(feed, { c2: newest.c2 });
      const { next } = await store.feeds.list({ ...query, after: undefined, limit: 1 }, asRead);
      assert.ok(next !== undefined);
      await rig.delete(more);
      await rig.delete(newest);
      const successor = await rig.create(feed, { c2: newest.c2 });
      const rest = await store.feeds.list({ ...query, after: next, limit: 10 }, asRead);
      assert.deepEqual(
        rest.reports.map(({ body }) => idIn(body)),
        [successor.id],
      );
    });

    describe('of a feed that is scanned', () => {
      let feed: string;
      let made: readonly NewReport[];
      const c2 = { host: `${hex(4)}.example`, port: 65_000 };
      const [wanted, other] = [hex(8), hex(8)];

      before(async () => {
        feed = await rig.service();
        const rare = rig.report(feed, { tags: [], c2, confidence: 99 });
        const others = Array.from({ length: 6002 }, (_, index) =>
          rig.report(feed, {
            tags: [index === 0 || index === 6001 ? wanted : other, 'all'],
            c2: { host: 'many.example', port: 1 + (index % 999) },
          }),
        );
        made = [rare, ...others];
        await store.feeds.createMany(made);
      });

      it('start from the rarest of several filters', async () => {
        const filter = { host: 'many.example', tags: ['all', wanted] };
        for (const order of ['asc', 'desc'] as const) {
          const query = { scope: feed, filter, order, limit: 10, after: undefined };
          const { reports, next } = await store.feeds.list(query, asRead);
          assert.deepEqual([reports.length, next], [2, undefined]);
        }
      });

      it('end a page when the scan budget is spent, and continue from there', async () => {
        for (const [filter, matches] of [
          [{ port: c2.port }, 1],
          [{ minConfidence: 90 }, 1],
          [{ tags: ['all'], port: 999 }, 6],
          [{ tags: ['all', other], minConfidence: 90 }, 0],
        ] as const) {
          const query = { scope: feed, filter, order: 'desc' as const, limit: 10 };
          let after: string | undefined;
          const pages: number[] = [];
          do {
            const { reports, next } = await store.feeds.list({ ...query, after }, asRead);
            pages.push(reports.length);
            after = next;
          } while (after !== undefined);
          assert.ok(pages.length > 4 && pages.length < 8, `${pages.length} pages`);
          assert.equal(
            pages.reduce((sum, found) => sum + found, 0),
            matches,
          );
        }
      });

      it('spend the scan budget on the same reports, whatever their status', async () => {
        const owner = await rig.account(feed);
        const change = { accountId: owner.id, actor: 'desk', at: NOW, reason: undefined };
        const ids = made.filter((_, index) => index % 2 === 0).map(({ id }) => id);
        await store.feeds.setStatus(
          { service: feed, ids, limit: ids.length },
          { ...change, status: 'acknowledged', note: undefined },
        );
        const filter = { port: 2000 };
        const query = { scope: feed, filter, order: 'asc' as const, limit: 100 };
        const first = await store.feeds.list({ ...query, after: undefined }, asRead);
        const skipped = await store.feeds.list(
          { ...query, filter: {}, limit: 1, after: first.next },
          asRead,
        );
        const [next] = skipped.reports.map(({ body }) => idIn(body));
        const position = made.findIndex(({ id }) => id === next);
        assert.ok(position > 1000, `the page ended after ${position} reports`);
      });
    });

    it('have all reports of a host, whether it has few, many, or again few', async () => {
      const feed = await rig.service();
      const host = `${hex(4)}.example`;
      const made: NewReport[] = [];
      const add = async (count: number) => {
        const reports = Array.from({ length: count }, (_, index) =>
          rig.report(feed, { c2: { host, port: 1 + ((7919 * (made.length + index)) % 5000) } }),
        );
        await store.feeds.createMany(reports);
        made.push(...reports);
      };
      const listed = async (order: 'asc' | 'desc', limit: number) =>
        (await rig.list(feed, { host }, { order, limit })).map(({ id }) => id);
      const checkAll = async () => {
        const ids = made.map(({ id }) => id);
        assert.deepEqual(await listed('asc', 30), ids);
        assert.deepEqual(await listed('desc', 1000), ids.toReversed());
        const counted = await store.feeds.count(feed, { host });
        assert.deepEqual(counted, { total: ids.length, isLowerBound: false });
        const input = parseSearchInput(host) ?? assert.fail();
        const { hits } = await store.search.search({ input, limit: 5 });
        assert.deepEqual(
          hits.map((hit) => (hit.kind === 'report' ? hit.report.id : '')),
          ids.slice(-5).toReversed(),
        );
      };
      await add(99);
      await checkAll();
      await add(1);
      await checkAll();
      await add(1);
      await checkAll();
      await add(200);
      await checkAll();
      for (const report of made.splice(50, 202)) await rig.delete(report);
      await checkAll();
      await add(3);
      await checkAll();
      await add(150);
      await checkAll();
    });
  });
}
