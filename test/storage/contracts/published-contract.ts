import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FeedScope } from '../../../src/ports/feed-store.ts';
import type { PublishedVersion } from '../../../src/ports/published-versions.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { until } from '../../until.ts';
import { untilPublished } from '../../until-published.ts';
import { DAY_MS, FeedRig, later } from './feed-rig.ts';
import { NOW, newSample } from './store-contract.ts';

export const idOf = (version: PublishedVersion) =>
  'report' in version ? version.report.id : version.withdrawn.id;

const sequenceOf = (version: PublishedVersion) =>
  'report' in version ? version.report.sequence : version.withdrawn.sequence;

const stateOf = (version: PublishedVersion) =>
  'report' in version ? version.report.status : 'withdrawn';

/** After the times of all changes in the tests. PostgreSQL uses its own clock. */
export const FAR = new Date('2100-01-01T00:00:00.000Z');

/** All versions after that time, page by page. */
export async function readVersions(
  store: Store,
  scope: FeedScope,
  { after, limit = 7 }: { readonly after?: Date | undefined; readonly limit?: number } = {},
): Promise<PublishedVersion[]> {
  const versions: PublishedVersion[] = [];
  await untilPublished(store, scope);
  for (let since = after; ; ) {
    const page = await store.published.page({ scope, after: since, limit, now: FAR });
    versions.push(...page.versions);
    since = page.versions.at(-1)?.addedAt;
    if (!page.hasMore) return versions;
    assert.ok(page.versions.length >= limit, 'a page that is not full is the last one');
  }
}

/** Within a feed times are unique; over all feeds they only grow. */
export function checkOrder(versions: readonly PublishedVersion[], { isUnique = true } = {}): void {
  const times = versions.map(({ addedAt }) => addedAt.getTime());
  for (const [index, time] of times.entries()) {
    const earlier = times[index - 1] ?? 0;
    assert.ok(isUnique ? time > earlier : time >= earlier, `${time} follows ${earlier}`);
  }
}

/** The order in which feeds publish versions, on every store. */
export function publishedContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store of published versions`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    const statesIn = async (feed: string) =>
      (await readVersions(store, feed)).map((version) => `${idOf(version)} ${stateOf(version)}`);

    it('has nothing in a new feed, and in one that does not exist', async () => {
      const feed = await rig.service();
      for (const scope of [feed, 'none']) {
        const page = await store.published.page({ scope, after: undefined, limit: 5, now: NOW });
        assert.deepEqual(page, { versions: [], hasMore: false });
        assert.equal(await store.published.newest(scope), undefined);
      }
      assert.equal(await store.published.find(undefined, 'none'), undefined);
    });

    it('has the newest version of each report, in the order of changes', async () => {
      const feed = await rig.service();
      const [one, two, three] = [
        await rig.create(feed),
        await rig.create(feed),
        await rig.create(feed),
      ];
      const first = (await store.published.find(feed, one.id))?.addedAt;
      assert.ok(first);
      await rig.set(one, 'acknowledged', later(1));
      await rig.delete(two, later(2));
      assert.deepEqual(await statesIn(feed), [
        `${three.id} open`,
        `${one.id} acknowledged`,
        `${two.id} withdrawn`,
      ]);
      const versions = await readVersions(store, feed, { limit: 1 });
      checkOrder(versions);
      assert.deepEqual(versions.map(sequenceOf), [3, 4, 5]);
      assert.ok(versions.every(({ addedAt }) => addedAt > first));
      assert.deepEqual(await store.published.newest(feed), versions.at(-1)?.addedAt);
      const after = versions[1]?.addedAt;
      assert.deepEqual(await readVersions(store, feed, { after }), versions.slice(2));
    });

    it('has all members of a report, and of one that was deleted', async () => {
      const feed = await rig.service();
      const { id } = await rig.create(feed, { tags: ['rat', 'second'] });
      const version = (await store.published.find(feed, id)) ?? assert.fail();
      assert.ok('report' in version);
      const { number, statusReason, body, ...exported } = version.report;
      const {
        reporterId: _,
        statusNote: __,
        statusBy: ___,
        ...found
      } = await rig.find({
        service: feed,
        id,
      });
      assert.deepEqual(
        { ...exported, statusReason },
        {
          ...found,
          reportedAt: found.reportedAt.toISOString(),
          updatedAt: found.updatedAt.toISOString(),
          addedAt: version.addedAt.toISOString(),
          expiresAt: found.expiresAt.toISOString(),
          rejectionSequence: undefined,
          dayPart: 1,
        },
      );
      assert.equal(await store.reports.fetch(feed, id), body);
      await rig.delete({ service: feed, id }, later(5));
      const gone = (await store.published.find(feed, id)) ?? assert.fail();
      assert.ok('withdrawn' in gone && gone.addedAt > version.addedAt);
      const { createdSequence, name, c2, sha256, reportedAt } = version.report;
      assert.deepEqual(gone.withdrawn, {
        number,
        id,
        service: feed,
        sequence: 2,
        ...{ createdSequence, dayPart: 1, name, c2, sha256, reportedAt },
        addedAt: gone.addedAt.toISOString(),
        deletedAt: later(5).toISOString(),
      });
      assert.deepEqual(await store.published.find(undefined, id), gone);
      assert.equal(await store.published.find(await rig.service(), id), undefined);
    });

    it('has a new version of a report that expires, is renamed, or is seen again', async () => {
      const feed = await rig.service(1);
      const report = await rig.create(feed);
      const seen = await rig.create(feed, { c2: { host: 'again.example', port: 1 } });
      const times: number[] = [];
      const note = async ({ id }: NewReport) =>
        times.push((await store.published.find(feed, id))?.addedAt.getTime() ?? 0);
      await note(report);
      await note(seen);
      const sample = newSample({ sha256: report.sha256, configs: { LANTERN: {} }, tags: [] });
      await store.samples.putAll([sample], later(1));
      await note(report);
      await rig.create(feed, { c2: seen.c2, reportedAt: later(DAY_MS / 2) });
      await note(seen);
      while ((await store.feeds.expire(later(DAY_MS + 1), 100)) > 0);
      await note(report);
      assert.deepEqual(times, times.toSorted());
      assert.equal(new Set(times).size, 5);
      assert.ok((await statesIn(feed)).includes(`${report.id} expired`));
      checkOrder(await readVersions(store, feed));
    });

    it('has a thousand reports of one call in their order, at times of their own', async () => {
      const feed = await rig.service();
      const reports = Array.from({ length: 1000 }, () => rig.report(feed));
      await store.feeds.createMany(reports);
      const versions = await readVersions(store, feed, { limit: 90 });
      checkOrder(versions);
      assert.deepEqual(
        versions.map(idOf),
        reports.map(({ id }) => id),
      );
    });

    it('keeps the order if the clock is set back', async () => {
      const feed = await rig.service();
      const ids: string[] = [];
      for (const offset of [DAY_MS, 0, -DAY_MS, DAY_MS]) {
        const { id } = await rig.create(feed, { reportedAt: later(offset) });
        ids.push(id);
      }
      const versions = await readVersions(store, feed, { limit: 1 });
      checkOrder(versions);
      assert.deepEqual(versions.map(idOf), ids);
    });

    it('keeps the order after a call that used fewer sequences than it reserved', async () => {
      const feed = await rig.service();
      const retry = { route: 'create', key: 'k', fingerprint: new Uint8Array(32) };
      const report = rig.report(feed, { retry });
      await store.feeds.createMany([report, { ...report, id: 'again' }, rig.report(feed)]);
      const versions = await readVersions(store, feed);
      checkOrder(versions);
      assert.deepEqual(versions.map(sequenceOf), [1, 2]);
    });

    it('lets a reader of all feeds miss nothing while others write', async () => {
      const feeds = await Promise.all(Array.from({ length: 4 }, () => rig.service()));
      const owner = await rig.account(...feeds);
      const reading = new Reading(store);
      let isWriting = true;
      const write = async (feed: string) => {
        for (let round = 0; round < 6; round += 1) {
          const many = Array.from({ length: 1 + (round % 4) * 3 }, () => rig.report(feed));
          await store.feeds.createMany(many);
          const [one, two] = [await rig.create(feed), await rig.create(feed)];
          await rig.set(one, 'acknowledged', later(round), owner);
          if (round % 2 === 0) await rig.delete(two, NOW);
        }
      };
      const writers = Promise.all(feeds.map(write)).finally(() => {
        isWriting = false;
      });
      while (isWriting) {
        await reading.poll();
        await nextTurn();
      }
      await writers;
      const current = new Map<string, number>();
      for (const feed of feeds)
        for (const version of await readVersions(store, feed, { limit: 100 }))
          current.set(idOf(version), sequenceOf(version));
      const isComplete = () => [...current].every(([id, last]) => reading.seen.get(id) === last);
      await until(async () => {
        await reading.poll();
        return isComplete() || reading.polls > 5000;
      }, 'the reader has every version');
      assert.ok(isComplete(), 'the reader has missed a version');
    });
  });
}

/** A reader of all feeds that continues after the last version that it got. */
class Reading {
  /** The sequence of the last version of each report. */
  readonly seen = new Map<string, number>();
  polls = 0;
  readonly #store: Store;
  #after: Date | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  async poll(): Promise<void> {
    this.polls += 1;
    const page = await this.#store.published.page({
      scope: undefined,
      after: this.#after,
      limit: 5,
      now: FAR,
    });
    checkOrder(page.versions, { isUnique: false });
    for (const version of page.versions) this.seen.set(idOf(version), sequenceOf(version));
    this.#after = page.versions.at(-1)?.addedAt ?? this.#after;
  }
}
