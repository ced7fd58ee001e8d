import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DeskStatus } from '../../../src/domain/reports/desk.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { FeedRig, later } from './feed-rig.ts';
import { hex, NOW } from './store-contract.ts';

type Answer = readonly [status: DeskStatus, reason?: string | undefined];

const FALSE: Answer = ['rejected', 'false_positive'];

/** What follows from a desk that rejects a C2 as a false positive. */
export function rejectionsContract(name: string, open: () => Promise<Store>): void {
  describe(`rejected C2s in a ${name} store`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    const newC2 = () => ({ host: `${hex(6)}.example`, port: 4444 });

    async function answer(
      service: string,
      ids: readonly string[],
      [status, reason]: Answer,
      note?: string,
    ) {
      const { id: accountId } = await rig.account(service);
      const target = { service, ids, limit: 200 };
      const change = { accountId, actor: 'desk', at: later(1000), status, reason, note };
      return store.feeds.setStatus(target, change);
    }

    const create = async (service: string, members: Partial<NewReport>) => {
      const report = rig.report(service, members);
      const outcome = await store.reports.create(report);
      assert.ok('id' in outcome, outcome.kind);
      return { id: outcome.id, isRejected: outcome.isC2Rejected === true };
    };

    async function exported(service: string, id: string) {
      const version = (await store.published.find(service, id)) ?? assert.fail();
      return 'report' in version ? version.report : assert.fail('it was deleted');
    }

    const isRejected = async (service: string, id: string) =>
      (await exported(service, id)).rejectionSequence !== undefined;

    it('are told to whoever reports them again, in that feed alone', async () => {
      const [feed, other] = [await rig.service(), await rig.service()];
      const c2 = newC2();
      const first = await create(feed, { c2 });
      assert.equal(first.isRejected, false);
      await answer(feed, [first.id], FALSE);
      const again = await create(feed, { c2 });
      assert.equal(again.isRejected, true);
      const { id: reporterId, name: reportedBy } = await rig.account();
      assert.equal((await create(feed, { c2, reporterId, reportedBy })).isRejected, true);
      assert.equal((await create(feed, { c2: { ...c2, port: 4445 } })).isRejected, false);
      assert.equal((await create(other, { c2 })).isRejected, false);
      assert.equal(await store.reports.isC2Rejected(feed, c2), true);
      assert.equal(await store.reports.isC2Rejected(other, c2), false);
      assert.equal((await store.reports.preview(rig.report(feed, { c2 })))?.isC2Rejected, true);
      const { feeds } = await store.search.reportsOf(c2, { newest: 5 });
      const rejectedIn = feeds.filter(({ isC2Rejected }) => isC2Rejected);
      assert.deepEqual(
        rejectedIn.map(({ service }) => service),
        [feed],
      );
      const ofHost = await store.search.reportsOf({ host: c2.host }, { newest: 5 });
      assert.ok(ofHost.feeds.every(({ isC2Rejected }) => !isC2Rejected));
    });

    it('are told for each report of a batch, and again to a repeated call', async () => {
      const feed = await rig.service();
      const [c2, free] = [newC2(), newC2()];
      await answer(feed, [(await create(feed, { c2 })).id], FALSE);
      const key = { route: 'create', key: hex(8), fingerprint: Buffer.from(hex(32), 'hex') };
      const batch = [
        rig.report(feed, { c2 }),
        rig.report(feed, { c2: free }),
        rig.report(feed, { c2, retry: key }),
      ];
      const told = async (reports: readonly NewReport[]) =>
        (await store.feeds.createMany(reports)).map((one) => 'id' in one && one.isC2Rejected);
      assert.deepEqual(await told(batch), [true, undefined, true]);
      const repeated = rig.report(feed, { c2, retry: key });
      assert.deepEqual(await store.reports.create(repeated), {
        kind: 'replayed',
        id: batch[2]?.id,
        isC2Rejected: true,
      });
    });

    it('change their other reports, so that readers fetch these again', async () => {
      const feed = await rig.service();
      const c2 = newC2();
      const [first, ...others] = [
        await create(feed, { c2 }),
        await create(feed, { c2 }),
        await create(feed, { c2 }),
        await create(feed, { c2, reportedAt: later(-400 * 24 * 3_600_000) }),
      ];
      const bystander = await create(feed, {});
      const before = await store.feeds.states(feed);
      await answer(feed, [first.id], FALSE);
      const sequence = (await exported(feed, first.id)).sequence;
      assert.equal((await exported(feed, first.id)).rejectionSequence, sequence);
      for (const { id } of others) {
        const report = await exported(feed, id);
        assert.equal(report.rejectionSequence, sequence);
        assert.ok(report.sequence > sequence, 'another change');
        assert.equal(report.updatedAt, later(1000).toISOString());
      }
      assert.ok((await exported(feed, bystander.id)).sequence < sequence);
      const after = await store.feeds.states(feed);
      assert.equal((after[0]?.head ?? 0) - (before[0]?.head ?? 0), 4, 'a change each, no gaps');
      assert.equal(await store.feeds.changeRejectedReports(NOW, 100), 0, 'nothing is pending');
    });

    it('stay rejected when reports are deleted', async () => {
      const feed = await rig.service();
      const c2 = newC2();
      const { id } = await create(feed, { c2 });
      await answer(feed, [id], FALSE);
      await rig.delete({ service: feed, id });
      const again = await create(feed, { c2 });
      assert.equal(again.isRejected, true);
      assert.equal(await isRejected(feed, again.id), true);
    });

    for (const status of ['open', 'acknowledged', 'actioned'] as const)
      it(`are taken back by a report that the desk sets to ${status}`, async () => {
        const feed = await rig.service();
        const c2 = newC2();
        const first = await create(feed, { c2 });
        await answer(feed, [first.id], FALSE);
        const second = await create(feed, { c2 });
        const target = status === 'open' ? first.id : second.id;
        const sequence = (await exported(feed, second.id)).sequence;
        await answer(feed, [target], [status]);
        assert.equal(await isRejected(feed, first.id), false);
        const report = await exported(feed, second.id);
        assert.equal(report.rejectionSequence, undefined);
        assert.ok(report.sequence > sequence, 'readers learn of it');
        assert.equal((await create(feed, { c2 })).isRejected, false);
        assert.equal(await store.feeds.changeRejectedReports(NOW, 100), 0);
      });

    it('are taken back with the reason of the last false positive, not of a duplicate', async () => {
      const feed = await rig.service();
      const c2 = newC2();
      const [first, second] = [await create(feed, { c2 }), await create(feed, { c2 })];
      await answer(feed, [first.id], FALSE);
      await answer(feed, [second.id], ['rejected', 'duplicate']);
      assert.equal(await isRejected(feed, first.id), true);
      await answer(feed, [second.id], FALSE);
      await answer(feed, [first.id], ['rejected', 'not_ours']);
      assert.equal(await isRejected(feed, first.id), true);
      await answer(feed, [second.id], ['rejected', 'insufficient_evidence']);
      assert.equal(await isRejected(feed, first.id), false);
    });

    it('can be rejected again, and keep the sequence of the first rejection until then', async () => {
      const feed = await rig.service();
      const c2 = newC2();
      const [first, second] = [await create(feed, { c2 }), await create(feed, { c2 })];
      await answer(feed, [first.id], FALSE);
      const sequence = (await exported(feed, first.id)).rejectionSequence ?? 0;
      await answer(feed, [second.id], FALSE);
      assert.equal((await exported(feed, second.id)).rejectionSequence, sequence);
      await answer(feed, [second.id], ['open']);
      await answer(feed, [first.id], FALSE, 'with a note, so that it is a change');
      assert.ok(((await exported(feed, second.id)).rejectionSequence ?? 0) > sequence);
    });

    it('with very many reports are changed in slices, whichever way the desk decides', async () => {
      const feed = await rig.service();
      const c2 = newC2();
      const reports = Array.from({ length: 260 }, () => rig.report(feed, { c2 }));
      await store.feeds.createMany(reports);
      const ids = reports.map(({ id }) => id);
      const [first = ''] = ids;
      const changedSince = async (sequence: number) => {
        const versions = await Promise.all(ids.map((id) => exported(feed, id)));
        return versions.filter((report) => report.sequence > sequence).length;
      };
      const head = async () => (await store.feeds.states(feed))[0]?.head ?? 0;
      for (const [status, reason] of [FALSE, ['acknowledged'] as Answer]) {
        const start = await head();
        await answer(feed, [first], [status, reason]);
        // All at once for those who read, a bounded number of changes with the answer.
        assert.equal(await isRejected(feed, ids[130] ?? ''), status === 'rejected');
        assert.equal(await changedSince(start), 101);
        let slices = 0;
        while ((await store.feeds.changeRejectedReports(later(2000), 50)) > 0) slices += 1;
        assert.ok(slices >= 4, `${slices} slices`);
        assert.equal(await changedSince(start), 260);
        // The report of the answer may be changed twice.
        assert.ok((await head()) - start <= 261, 'one change each');
      }
      assert.equal(await store.reports.isC2Rejected(feed, c2), false);
    });

    it('of one answer share the bound', async () => {
      const feed = await rig.service();
      const reports = Array.from({ length: 30 }, () => newC2()).flatMap((c2) =>
        Array.from({ length: 10 }, () => rig.report(feed, { c2 })),
      );
      await store.feeds.createMany(reports);
      const start = (await store.feeds.states(feed))[0]?.head ?? 0;
      const judged = reports.filter((_, index) => index % 10 === 0).map(({ id }) => id);
      await answer(feed, judged, FALSE);
      const changes = ((await store.feeds.states(feed))[0]?.head ?? 0) - start;
      assert.ok(changes <= 30 + 100, `${changes} changes`);
      while ((await store.feeds.changeRejectedReports(later(2000), 100)) > 0);
      assert.equal(((await store.feeds.states(feed))[0]?.head ?? 0) - start, 300);
    });

    it('take turns with creates and answers', async () => {
      const feed = await rig.service();
      const c2 = newC2();
      const { id } = await create(feed, { c2 });
      const desk = await rig.account(feed);
      const say = ([status, reason]: Answer, at: number) =>
        store.feeds.setStatus(
          { service: feed, ids: [id], limit: 1 },
          { accountId: desk.id, actor: 'desk', at: later(at), status, reason, note: undefined },
        );
      await Promise.all([
        ...Array.from({ length: 20 }, () => create(feed, { c2 })),
        say(FALSE, 1),
        say(['open'], 2),
        say(FALSE, 3),
        store.feeds.changeRejectedReports(later(4), 5),
        store.feeds.changeRejectedReports(later(4), 5),
      ]);
      const { status } = await exported(feed, id);
      assert.equal(await store.reports.isC2Rejected(feed, c2), status === 'rejected');
    });
  });
}
