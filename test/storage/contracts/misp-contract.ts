import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { REPORTS_OF_PART } from '../../../src/domain/reports/day-part.ts';
import { mispEventId } from '../../../src/domain/reports/misp-event-id.ts';
import type { MispEvent, ReportPosition } from '../../../src/ports/misp-store.ts';
import type { PublishedVersion } from '../../../src/ports/published-versions.ts';
import type { Store } from '../../../src/ports/store.ts';
import { DAY_MS, FeedRig, later } from './feed-rig.ts';
import { NOW } from './store-contract.ts';

const NAMESPACE = '0332d448-4c53-8e37-a35e-294e6e0bf24f';
const TODAY = NOW.toISOString().slice(0, 10);
const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
const idOf = (version: PublishedVersion) =>
  'report' in version ? version.report.id : version.withdrawn.id;

const statusOf = (version: PublishedVersion) =>
  'report' in version ? version.report.status : 'withdrawn';

/** Events, stamps and pages of the MISP feed. */
export function mispContract(name: string, open: () => Promise<Store>): void {
  describe(`the MISP feed of a ${name} store`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    const stamp = (service: string, now = NOW, limit = 100) =>
      store.misp.stampEvents(service, { namespace: NAMESPACE, now, limit });

    const stampAll = async (service: string, now = NOW, limit = 100) => {
      while ((await stamp(service, now, limit)) > 0);
      return await store.misp.events(service, undefined, 100);
    };

    /** Twelve reports; returns their ids. */
    async function createAll(service: string, from: Date, ms: (index: number) => number) {
      const made: string[] = [];
      for (let index = 0; index < 12; index += 1)
        made.push((await rig.create(service, { reportedAt: later(ms(index), from) })).id);
      return made;
    }

    async function expireAll(at: Date) {
      while ((await store.feeds.expire(at, 100)) > 0);
    }

    async function reportsOf(
      event: Pick<MispEvent, 'id'> | undefined,
      limit: number,
      between = async () => {},
    ) {
      const versions: PublishedVersion[] = [];
      let position: ReportPosition | undefined;
      do {
        const page = await store.misp.reports(event as MispEvent, position, limit);
        versions.push(...page.versions);
        position = page.next;
        await between();
      } while (position !== undefined);
      return versions;
    }

    it('has no events before the first report', async () => {
      const service = await rig.service();
      assert.deepEqual(await stampAll(service), []);
      assert.equal(await store.misp.version(service), 0);
      assert.equal(await stamp('absent'), 0);
      const id = mispEventId(NAMESPACE, service, { day: TODAY, part: 1 });
      assert.equal(await store.misp.find(undefined, id), undefined);
      assert.deepEqual(await reportsOf({ id }, 10), []);
    });

    it('gives the event of every day a stamp of its own, whatever the slices', async () => {
      const service = await rig.service();
      for (let day = 0; day < 5; day += 1)
        for (let made = 0; made < 3; made += 1)
          await rig.create(service, { reportedAt: later(-day * DAY_MS) });
      assert.ok((await store.misp.changedFeeds()).includes(service));
      const days = await stampAll(service, NOW, 4);
      assert.deepEqual(
        days.map(({ day }) => day),
        [4, 3, 2, 1, 0].map((age) =>
          later(-age * DAY_MS)
            .toISOString()
            .slice(0, 10),
        ),
      );
      assert.equal(new Set(days.map(({ stamp }) => stamp)).size, 5);
      for (const { stamp } of days) assert.ok(stamp >= seconds(NOW));
      assert.ok(!(await store.misp.changedFeeds()).includes(service));
    });

    it('raises only the stamp of a day with a change, and only once', async () => {
      const service = await rig.service();
      const old = await rig.create(service, { reportedAt: later(-3 * DAY_MS) });
      await rig.create(service);
      const [oldBefore, newBefore] = await stampAll(service);
      await rig.set(old, 'rejected');
      const [oldAfter, newAfter] = await stampAll(service);
      assert.ok(oldBefore && newBefore && oldAfter && newAfter);
      assert.equal(newAfter.stamp, newBefore.stamp);
      assert.ok(oldAfter.stamp > Math.max(oldBefore.stamp, newBefore.stamp));
      assert.deepEqual(await stampAll(service), [oldAfter, newAfter]);
    });

    it('raises the stamp after a deletion, and takes the second of the clock', async () => {
      const service = await rig.service();
      const report = await rig.create(service);
      const [first] = await stampAll(service);
      await rig.delete(report, later(60_000));
      const [second] = await stampAll(service, later(60_000));
      assert.equal(second?.stamp, seconds(later(60_000)));
      assert.ok(first && second && second.stamp > first.stamp);
    });

    it('never lowers a stamp when the clock goes back', async () => {
      const service = await rig.service();
      await rig.create(service);
      const [first] = await stampAll(service);
      await rig.create(service);
      const [second] = await stampAll(service, later(-DAY_MS));
      assert.equal(second?.stamp, (first?.stamp ?? 0) + 1);
    });

    it('counts each change once if several callers stamp at once', async () => {
      const service = await rig.service();
      for (let made = 0; made < 20; made += 1)
        await rig.create(service, { reportedAt: later(-(made % 4) * DAY_MS) });
      const counts = await Promise.all(Array.from({ length: 8 }, () => stamp(service)));
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        20,
      );
      const days = await store.misp.events(service, undefined, 10);
      assert.equal(new Set(days.map(({ stamp }) => stamp)).size, 4);
    });

    it('pages a day with expired and deleted reports, by time and number', async () => {
      const service = await rig.service(1);
      const midnight = new Date(`${TODAY}T00:00:00.000Z`);
      const made = await createAll(service, midnight, (index) => Math.floor(index / 3));
      await rig.create(service, { reportedAt: later(-1, midnight) });
      await rig.create(service, { reportedAt: later(DAY_MS, midnight) });
      for (const index of [1, 6]) await rig.delete({ service, id: made[index] as string });
      for (const index of [2, 9]) await rig.set({ service, id: made[index] as string }, 'actioned');
      await expireAll(later(2 * DAY_MS));
      const expected = Array.from({ length: 12 }, () => 'expired');
      expected[1] = expected[6] = 'withdrawn';
      expected[2] = expected[9] = 'actioned';
      const event = (await stampAll(service)).find(({ day }) => day === TODAY);
      for (const limit of [1, 2, 5, 100]) {
        const versions = await reportsOf(event, limit);
        assert.deepEqual(versions.map(idOf), made);
        assert.deepEqual(versions.map(statusOf), expected);
      }
    });

    it('has each report once, although others are deleted and expire between pages', async () => {
      const service = await rig.service(1);
      const made = await createAll(service, NOW, (index) => index);
      const doomed = [...made];
      const [event] = await stampAll(service);
      const found = await reportsOf(event, 2, async () => {
        const [first] = doomed.splice(5, 1);
        if (first !== undefined) await rig.delete({ service, id: first });
        await store.feeds.expire(later(3 * DAY_MS), 2);
      });
      assert.deepEqual(found.map(idOf), made);
    });

    async function createMany(service: string, count: number) {
      const made: string[] = [];
      while (made.length < count) {
        const batch = Array.from({ length: Math.min(500, count - made.length) }, () =>
          rig.report(service, { c2: { host: '45.7.113.7', port: 443 } }),
        );
        await Promise.all(batch.map((report) => store.reports.create(report)));
        made.push(...batch.map(({ id }) => id));
      }
      return made;
    }

    it('begins another event when one has all its reports, and leaves each where it is', async () => {
      const service = await rig.service();
      await rig.create(service, { reportedAt: later(-DAY_MS) });
      const made = await createMany(service, REPORTS_OF_PART);
      // Earlier than those of the first part.
      const next = await rig.create(service, { reportedAt: later(-1) });
      const stampedEvents = async () =>
        (await stampAll(service, NOW, 1000)).filter(({ day }) => day === TODAY);
      const [one, two] = await stampedEvents();
      assert.equal(one?.id, mispEventId(NAMESPACE, service, { day: TODAY, part: 1 }));
      assert.equal(two?.id, mispEventId(NAMESPACE, service, { day: TODAY, part: 2 }));
      const inEvents = async () =>
        await Promise.all([one, two].map(async (event) => (await reportsOf(event, 900)).map(idOf)));
      const expected = await inEvents();
      assert.deepEqual(
        expected.map((ids) => ids.toSorted()),
        [made.toSorted(), [next.id]],
      );

      await rig.delete({ service, id: made[7] as string });
      const [changed, same] = await stampedEvents();
      assert.ok((changed?.stamp ?? 0) > (two?.stamp ?? 0));
      assert.equal(same?.stamp, two?.stamp);
      await rig.set(next, 'rejected');
      const last = await rig.create(service);
      await stampedEvents();
      assert.deepEqual(await inEvents(), [expected[0], [next.id, last.id]]);
    });

    it('does not count a create that is answered with an earlier report', async () => {
      const service = await rig.service();
      const retry = { route: 'r', key: service, fingerprint: Buffer.from('a') };
      const replays = Array.from({ length: REPORTS_OF_PART }, () =>
        store.reports.create(rig.report(service, { retry })),
      );
      await Promise.all(replays);
      await rig.create(service);
      assert.deepEqual(
        (await stampAll(service)).map(({ part }) => part),
        [1],
      );
    });

    it('lists the events of all feeds, none of which have the same stamp', async () => {
      const services = [await rig.service(), await rig.service(), await rig.service()];
      for (const service of services) {
        await rig.create(service);
        await rig.create(service, { reportedAt: later(-DAY_MS) });
        await stampAll(service);
      }
      const events: MispEvent[] = [];
      let page: readonly MispEvent[];
      do {
        page = await store.misp.events(undefined, events.at(-1), 2);
        events.push(...page);
      } while (page.length > 0);
      const stamps = events.map((event) => event.stamp);
      assert.equal(new Set(stamps).size, stamps.length);
      assert.equal(await store.misp.lastStamp(), Math.max(...stamps));
      assert.equal(await store.misp.version(undefined), Math.max(...stamps));
      assert.equal(events.filter((event) => services.includes(event.service)).length, 6);
      const [event] = events;
      assert.ok(event);
      assert.deepEqual(await store.misp.find(undefined, event.id), event);
      assert.deepEqual(await store.misp.find(event.service, event.id), event);
      const other = services.find((service) => service !== event.service);
      assert.equal(await store.misp.find(other, event.id), undefined);
    });
  });
}
