import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { AttemptOutcome } from '../../../src/domain/deliveries/retries.ts';
import type { MailSettings } from '../../../src/domain/mail/mail-settings.ts';
import type { LeasedMail, MailLeaseRequest } from '../../../src/ports/mail-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { DAY_MS, FeedRig, later } from './feed-rig.ts';
import { audit, NOW } from './store-contract.ts';

const LEASE_MS = 60_000;
const EACH: MailSettings = { to: 'abuse@ply.example', format: 'xarf', delivery: 'each' };
const DAILY: MailSettings = { ...EACH, delivery: 'daily' };
const PAGE = { limit: 100, before: undefined, state: undefined };

/** The settings of mail, and leases and outcomes of its deliveries. */
export function mailContract(name: string, open: () => Promise<Store>): void {
  describe(`the mail of a ${name} store`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    const set = (service: string, settings: MailSettings | undefined) =>
      store.services.change(service, { mail: { id: randomUUID(), settings } }, audit);

    async function mailed(settings: MailSettings): Promise<string> {
      const service = await rig.service();
      await set(service, settings);
      return service;
    }

    /** The leases of one service: other tests may leave mails behind. */
    async function lease(service: string, request: Partial<MailLeaseRequest> = {}) {
      const leased = await store.mail.lease({
        now: NOW,
        leaseMs: LEASE_MS,
        limit: 1000,
        perDestination: 2,
        perMail: 3,
        ...request,
      });
      return leased.filter(({ destination }) => destination.service === service);
    }

    const settle = (leased: LeasedMail, outcome: AttemptOutcome) =>
      store.mail.settle(leased.deliveries.map((delivery) => ({ delivery, outcome })));
    const delivered = (at: Date): AttemptOutcome => ({ kind: 'delivered', status: 250, at });
    const dead = (at: Date): AttemptOutcome => ({
      kind: 'dead',
      status: 550,
      error: 'refused',
      disable: undefined,
      pause: 'always',
      pauseUntil: at,
      at,
    });

    async function log(service: string) {
      const found = await store.mail.deliveries(service, PAGE);
      return found === 'absent' ? assert.fail('there is no mail') : found;
    }

    const countsOf = (mails: readonly LeasedMail[]) =>
      mails.map(({ deliveries }) => deliveries.length);

    it('has one destination for each service, which changes and ends', async () => {
      const service = await mailed(EACH);
      const first = await store.mail.find(service);
      assert.partialDeepStrictEqual(first, { ...EACH, service, failingSince: undefined });
      await set(service, { ...DAILY, to: 'desk@ply.example' });
      const changed = await store.mail.find(service);
      assert.partialDeepStrictEqual(changed, { id: first?.id, to: 'desk@ply.example' });
      const listed = (await store.mail.list()).filter((one) => one.service === service);
      assert.deepEqual(listed, [changed]);
      assert.deepEqual(await store.webhooks.list(service), []);
      await set(service, undefined);
      assert.equal(await store.mail.find(service), undefined);
      assert.equal(await store.mail.deliveries(service, PAGE), 'absent');
      assert.equal(await store.mail.replay(service, randomUUID(), NOW), 'absent');
      assert.equal(await store.mail.test(service, randomUUID(), NOW), 'absent');
      await set(service, EACH);
      assert.notEqual((await store.mail.find(service))?.id, first?.id);
      assert.deepEqual(await log(service), []);
    });

    it('leases reports one by one, oldest first, at most some at a time', async () => {
      const service = await mailed(EACH);
      const ids: string[] = [];
      for (let made = 0; made < 3; made += 1) ids.push((await rig.create(service)).id);
      const mails = await lease(service);
      assert.deepEqual(countsOf(mails), [1, 1]);
      assert.deepEqual(
        mails.map(({ deliveries }) => deliveries[0]?.report?.id),
        ids.slice(0, 2),
      );
      assert.deepEqual(await lease(service), []);
      await settle(mails[0] as LeasedMail, delivered(NOW));
      const [third] = await lease(service);
      assert.equal(third?.deliveries[0]?.reportId, ids[2]);
    });

    it('leases the reports of a digest together after the day, one digest at a time', async () => {
      const service = await mailed(DAILY);
      for (let made = 0; made < 5; made += 1) await rig.create(service);
      assert.deepEqual(await lease(service), []);
      const tomorrow = later(DAY_MS);
      const [first, ...others] = await lease(service, { now: tomorrow });
      assert.deepEqual([first?.deliveries.length, others], [3, []]);
      assert.deepEqual(await lease(service, { now: tomorrow }), []);
      await settle(first as LeasedMail, delivered(tomorrow));
      assert.deepEqual(countsOf(await lease(service, { now: tomorrow })), [2]);
    });

    it('leases a digest once, although several callers lease at once', async () => {
      const service = await mailed(DAILY);
      for (let made = 0; made < 3; made += 1) await rig.create(service);
      const request = { now: later(DAY_MS) };
      const leases = await Promise.all(Array.from({ length: 6 }, () => lease(service, request)));
      assert.deepEqual(countsOf(leases.flat()), [3]);
    });

    it('ends and renews leases, and ignores the outcome of a lost one', async () => {
      const service = await mailed(DAILY);
      for (let made = 0; made < 2; made += 1) await rig.create(service);
      const start = later(DAY_MS);
      // PostgreSQL goes by its own clock, SQLite by that of the caller.
      const [lost] = await lease(service, { now: start, leaseMs: 1 });
      assert.ok(lost);
      await pause(50);
      const end = later(LEASE_MS, start);
      const [held] = await lease(service, { now: end });
      assert.equal(held?.deliveries.length, 2);
      assert.equal(await store.mail.renew([lost], { now: end, leaseMs: LEASE_MS }), 0);
      assert.equal(await store.mail.renew([held], { now: end, leaseMs: LEASE_MS }), 2);
      assert.deepEqual(await lease(service, { now: end }), []);
      await settle(lost, dead(end));
      assert.deepEqual(
        (await log(service)).map(({ state }) => state),
        ['waiting', 'waiting'],
      );
      await settle(held, delivered(end));
      assert.deepEqual(
        (await log(service)).map(({ state, attempts }) => [state, attempts]),
        [
          ['delivered', 2],
          ['delivered', 2],
        ],
      );
    });

    it('keeps dead letters, and queues them again', async () => {
      const service = await mailed(EACH);
      await rig.create(service);
      const [mail] = await lease(service);
      await settle(mail as LeasedMail, dead(NOW));
      assert.deepEqual((await store.mail.find(service))?.failingSince, NOW);
      const [letter] = await log(service);
      assert.partialDeepStrictEqual(letter, { state: 'dead', lastStatus: 550 });
      assert.equal(await store.mail.replay(service, randomUUID(), NOW), 'absent-delivery');
      assert.equal(await store.mail.replay(service, letter?.id ?? '', NOW), 'queued');
      const [again] = await lease(service);
      assert.equal(again?.deliveries[0]?.attempts, 1);
      await settle(again as LeasedMail, delivered(NOW));
      assert.equal((await store.mail.find(service))?.failingSince, undefined);
    });

    it('queues a test, also of a digest, without a report', async () => {
      const service = await mailed(DAILY);
      await rig.create(service);
      const id = randomUUID();
      assert.equal(await store.mail.test(service, id, NOW), 'queued');
      const [mail] = await lease(service);
      assert.deepEqual(
        mail?.deliveries.map(({ id, reportId, report }) => [id, reportId, report]),
        [[id, undefined, undefined]],
      );
      await settle(mail as LeasedMail, dead(NOW));
      assert.deepEqual((await store.mail.find(service))?.failingSince, NOW);
    });

    it('leases nothing for a destination that was removed', async () => {
      const service = await mailed(EACH);
      await rig.create(service);
      await set(service, undefined);
      assert.deepEqual(await lease(service), []);
    });

    it('has no report for a delivery whose report was deleted', async () => {
      const service = await mailed(EACH);
      const report = await rig.create(service);
      await rig.delete(report);
      const [mail] = await lease(service);
      assert.partialDeepStrictEqual(mail?.deliveries[0], { reportId: report.id });
      assert.equal(mail?.deliveries[0]?.report, undefined);
      await settle(mail as LeasedMail, dead(NOW));
      assert.equal((await store.mail.find(service))?.failingSince, undefined);
    });

    it('deletes old deliveries: delivered ones first, then dead ones', async () => {
      const service = await mailed(EACH);
      for (const outcome of [delivered(NOW), dead(NOW)]) {
        await rig.create(service);
        const [mail] = await lease(service);
        await settle(mail as LeasedMail, outcome);
      }
      const purge = async (days: number) => {
        const now = later(days * DAY_MS);
        const retention = {
          now,
          deliveredBefore: later(-3 * DAY_MS, now),
          deadBefore: later(-30 * DAY_MS, now),
          keyId: '',
        };
        while ((await store.webhooks.deleteOldDeliveries({ ...retention, limit: 100 })) > 0);
        return (await log(service)).map(({ state }) => state);
      };
      assert.deepEqual(await purge(2), ['dead', 'delivered']);
      assert.deepEqual(await purge(4), ['dead']);
      assert.deepEqual(await purge(31), []);
    });
  });
}
