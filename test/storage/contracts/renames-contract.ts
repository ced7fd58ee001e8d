import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../../src/ports/store.ts';
import { FeedRig, later } from './feed-rig.ts';
import { hex, newSample } from './store-contract.ts';

const SLICE = 15;

/** Renaming many reports of one file, on every database. */
export function renamesContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store, many reports of one file`, () => {
    let store: Store;
    let rig: FeedRig;

    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
      // Completes the renames that other tests on the same database have left.
      while ((await store.feeds.reevaluatePending(later(0), 1000)) > 0);
    });

    after(() => store.close());

    const named = (family: string, sha256: string) =>
      newSample({ sha256, configs: { [family]: {} }, tags: [] });
    const namesIn = async (feed: string) =>
      (await rig.list(feed)).map((report) => report.name).sort();
    const count = (names: readonly string[], wanted: string) =>
      names.filter((one) => one === wanted).length;

    async function fill(sha256: string, ...feeds: readonly string[]): Promise<void> {
      for (const feed of feeds)
        await store.feeds.createMany(
          Array.from({ length: 40 }, () => rig.report(feed, { sha256 })),
        );
    }

    it('take its name in slices, each report once and as a separate change', async () => {
      const sha256 = hex(32);
      const feeds = [await rig.service(), await rig.service()] as const;
      await fill(sha256, ...feeds);
      await store.samples.putAll([named('LANTERN', sha256)], later(1000));
      const begun = (await Promise.all(feeds.map(namesIn))).flat();
      assert.ok(count(begun, 'LANTERN') < 80, 'not all of them at once');
      const [late] = feeds;
      const added = await rig.create(late, { sha256 });
      const found = await store.reports.find(late, added.id);
      assert.equal(found?.name, 'LANTERN', 'what is new has the new name at once');
      let slices = 0;
      for (let done = 1; done > 0; slices += 1) {
        done = await store.feeds.reevaluatePending(later(2000), SLICE);
        assert.ok(done <= SLICE);
      }
      assert.ok(slices > 3, `${slices} slices`);
      for (const feed of feeds) {
        assert.deepEqual(new Set(await namesIn(feed)), new Set(['LANTERN']));
        const changes = await rig.changes(feed);
        assert.equal(changes.filter(({ type }) => type === 'updated').length, 40);
        assert.deepEqual(
          changes.map(({ sequence }) => sequence),
          changes.map((_, index) => index + 1),
        );
      }
    });

    it('end with the name of the last analysis, whenever it was written', async () => {
      const sha256 = hex(32);
      const feed = await rig.service();
      await fill(sha256, feed);
      const sample = named('LANTERN', sha256);
      await store.samples.putAll([sample], later(1000));
      await store.feeds.reevaluatePending(later(2000), SLICE);
      await store.samples.putAll(
        [{ ...sample, fileName: 'again.exe', configs: { XWORM: {} } }],
        later(3000),
      );
      while ((await store.feeds.reevaluatePending(later(4000), SLICE)) > 0);
      assert.deepEqual(new Set(await namesIn(feed)), new Set(['XWORM']));
    });

    it('are renamed once when several nodes do it concurrently', async () => {
      const sha256 = hex(32);
      const feed = await rig.service();
      await fill(sha256, feed);
      await store.samples.putAll([named('LANTERN', sha256)], later(1000));
      const work = async () => {
        while ((await store.feeds.reevaluatePending(later(2000), 5)) > 0);
      };
      await Promise.all([work(), work(), work()]);
      assert.equal((await store.feeds.heads(feed)).get(feed), 80);
    });

    it('leave nothing pending if there are few', async () => {
      const feed = await rig.service();
      const { sha256 } = await rig.create(feed);
      await store.samples.putAll([named('LANTERN', sha256)], later(1000));
      assert.deepEqual(await namesIn(feed), ['LANTERN']);
      assert.equal(await store.feeds.reevaluatePending(later(2000), SLICE), 0);
    });
  });
}
