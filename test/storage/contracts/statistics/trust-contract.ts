import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noReporterCounts } from '../../../../src/domain/trust/outcome.ts';
import type { Store } from '../../../../src/ports/store.ts';
import { DAY_MS, FeedRig, HOUR_MS, later } from '../feed-rig.ts';
import { audit, hex, newSample } from '../store-contract.ts';
import { checkTrust } from './trust-recount.ts';

const FROM = '2026-01-01';

/** The counters of reporters and services, on every database. */
export function trustContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store of trust`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
      // Completes what other tests on the same database have left.
      while ((await store.feeds.reevaluateOld(later(0), 1000)) > 0);
    });
    after(() => store.close());

    async function reported(members = {}) {
      const [feed, reporter] = [await rig.service(), await rig.account()];
      const by = { reporterId: reporter.id, reportedBy: reporter.name };
      const report = await rig.create(feed, { ...by, ...members });
      return { feed, reporter, by, report };
    }

    async function countsOf(reporter: string) {
      const { services = [] } = (await store.trust.reporter(reporter)) ?? {};
      return services.map(({ service: _, ...counts }) => counts);
    }

    it('knows no reporter without an account, and one without reports', async () => {
      assert.equal(await store.trust.reporter('nobody'), undefined);
      const { id, name: own } = await rig.account();
      assert.partialDeepStrictEqual(await store.trust.reporter(own), {
        id,
        name: own,
        services: [],
        isComplete: true,
      });
    });

    it('follows what the analysis of the file says', async () => {
      const c2 = { host: `${hex(4)}.example`, port: 443 };
      const { feed, reporter, report } = await reported({ c2 });
      const counts = { ...noReporterCounts(), open: 1 };
      assert.deepEqual(await countsOf(reporter.name), [counts]);
      const file = newSample({ sha256: report.sha256, configs: {} });
      const analyse = async (host: string, at: Date) => {
        const sample = { ...file, fileName: `${hex(4)}.exe` };
        const c2s = [{ host, port: 443, family: 'LANTERN' }];
        const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
        await store.samples.finish({ report: sample, details }, at);
      };
      await analyse(c2.host, later(1));
      assert.deepEqual(await countsOf(reporter.name), [{ ...counts, confirmed: 1 }]);
      assert.equal((await store.trust.service(feed, FROM)).confirmed, 1);
      await analyse('other.example', later(2));
      assert.deepEqual(await countsOf(reporter.name), [{ ...counts, contradicted: 1 }]);
      await store.samples.purge(report.sha256, 'reason', audit);
      assert.deepEqual(await countsOf(reporter.name), [counts]);
      await checkTrust(rig, [feed], [reporter]);
    });

    it('follows the route of the C2', async () => {
      const host = `${hex(4)}.example`;
      const { feed, reporter, by } = await reported();
      const other = await rig.service();
      await store.services.change(other, { hosts: [host] }, audit);
      await rig.create(feed, { ...by, c2: { host, port: 1 } });
      const misrouted = async () => (await store.trust.service(feed, FROM)).misrouted;
      assert.equal(await misrouted(), 1);
      await store.services.change(other, { hosts: [] }, audit);
      while ((await store.feeds.reevaluateOld(later(1), 1000)) > 0);
      assert.equal(await misrouted(), 0);
      await checkTrust(rig, [feed, other], [reporter]);
    });

    it('counts the first answer of any kind, the first final one, and what comes back', async () => {
      const c2 = { host: `${hex(4)}.example`, port: 443 };
      const { feed, reporter, by, report } = await reported({ c2 });
      await rig.set(report, 'acknowledged', later(HOUR_MS));
      await rig.set(report, 'actioned', later(3 * DAY_MS));
      await rig.set(report, 'open', later(4 * DAY_MS));
      await rig.set(report, 'actioned', later(5 * DAY_MS));
      await rig.create(feed, { ...by, c2, reportedAt: later(6 * DAY_MS) });
      const shown = await store.trust.service(feed, FROM);
      assert.deepEqual(shown.timeToAcknowledge, [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      assert.deepEqual(shown.timeToAct, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
      assert.deepEqual(shown.recurrenceDays, [{ day: '2026-09-01', count: 1 }]);
      const none = await store.trust.service(feed, '2026-09-02');
      assert.deepEqual([none.recurrences, none.recurrenceDays], [1, []]);
      await checkTrust(rig, [feed], [reporter]);
    });

    it('keeps what others judged when a report is deleted, and after a recount', async () => {
      const { feed, reporter, report } = await reported();
      await rig.set(report, 'actioned', later(1000));
      assert.equal(await rig.delete(report, later(2000)), 'deleted');
      const expected = [{ ...noReporterCounts(), judged_right: 1 }];
      assert.deepEqual(await countsOf(reporter.name), expected);
      await store.trust.restartCounting();
      while ((await store.feeds.fillStatistics(500)) > 0);
      assert.deepEqual(await countsOf(reporter.name), expected);
      await checkTrust(rig, [feed], [reporter]);
    });

    it('counts no judgement and no time in a feed that the reporter owns', async () => {
      const feed = await rig.service();
      const [owner, colleague] = [await rig.account(feed), await rig.account(feed)];
      const by = { reporterId: owner.id, reportedBy: owner.name };
      for (const judge of [owner, colleague])
        await rig.set(await rig.create(feed, by), 'actioned', later(1000), judge);
      const expected = [{ ...noReporterCounts(), actioned: 2 }];
      const times = async () => (await store.trust.service(feed, FROM)).timeToAct;
      assert.deepEqual(await countsOf(owner.name), expected);
      assert.ok((await times()).every((reports) => reports === 0));
      // A status knows who owned the feed then.
      await store.accounts.change(owner.id, { services: [] }, audit);
      await store.trust.restartCounting();
      while ((await store.feeds.fillStatistics(500)) > 0);
      assert.deepEqual(await countsOf(owner.name), expected);
      assert.ok((await times()).every((reports) => reports === 0));
    });

    it('counts a report that is answered at once as acknowledged', async () => {
      const { feed, report } = await reported();
      await rig.set(report, 'rejected', later(1000));
      await rig.set(report, 'acknowledged', later(DAY_MS));
      const { timeToAcknowledge } = await store.trust.service(feed, FROM);
      assert.deepEqual(timeToAcknowledge, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    });
  });
}
