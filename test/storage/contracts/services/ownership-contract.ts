import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ProofProblem } from '../../../../src/domain/ownership/claim.ts';
import type { ClaimKey } from '../../../../src/ports/ownership-store.ts';
import type { Store } from '../../../../src/ports/store.ts';
import { DAY_MS, FeedRig, later } from '../feed-rig.ts';
import { audit, hex, NOW } from '../store-contract.ts';

const INTERVAL_MS = 10_000;
const LEASE_MS = 120_000;

/** Claims of services: tokens, checks, what is due, and what happens if the hosts change. */
export function ownershipContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store of proofs`, () => {
    let store: Store;
    let rig: FeedRig;
    let service: string;
    let suffix: string;
    let key: ClaimKey;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());
    beforeEach(async () => {
      service = await rig.service();
      suffix = `${hex(4)}.example`;
      key = { service, suffix };
      await store.services.change(service, { hosts: [suffix, `*.${suffix}`] }, audit);
      await store.ownership.token(service, 'token', NOW);
      // Those of other tests are not due.
      while ((await store.ownership.leaseDue(due(later(400 * DAY_MS)))).length > 0) {
        for (const proof of await leased()) await record(proof, 'other_token');
      }
    });

    const due = (now: Date) => ({ now, limit: 100, leaseMs: 0 });
    const leased = () => store.ownership.leaseDue(due(later(400 * DAY_MS)));
    const begin = (at: Date, one: ClaimKey = key) =>
      store.ownership.begin({ ...one, method: 'dns', now: at, intervalMs: INTERVAL_MS });

    function record(one: ClaimKey, problem: ProofProblem | undefined, at = NOW) {
      const { service: slug, suffix: host } = one;
      const check = { method: 'dns', problem, at, chance: 0 } as const;
      return store.ownership.record(
        { service: slug, suffix: host, check, isRequested: true },
        { ...audit, at },
      );
    }

    async function prove(): Promise<void> {
      assert.equal(await begin(NOW), 'begun');
      assert.notEqual(await record(key, undefined), 'absent');
    }

    const verifiedSuffixes = async () => [
      ...((await store.ownership.verified([service]))[0] ?? []),
    ];
    const actions = async () =>
      (await store.audit.list({ limit: 20, subject: service })).entries
        .map(({ action }) => action)
        .filter((action) => action.startsWith('ownership.'));

    it('keeps the first token of a service', async () => {
      const other = await rig.service();
      const offered = ['one', 'two', 'three'];
      const kept = await Promise.all(
        offered.map((token) => store.ownership.token(other, token, NOW)),
      );
      assert.equal(new Set(kept).size, 1);
      assert.ok(offered.includes(kept[0] ?? ''));
      assert.equal(await store.ownership.token(other, 'four', NOW), kept[0]);
    });

    it('begins one check per interval, however many ask at once', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => begin(NOW)));
      assert.equal(answers.filter((answer) => answer === 'begun').length, 1);
      assert.deepEqual(await begin(later(4000)), { waitMs: 6000 });
      assert.equal(await begin(later(INTERVAL_MS)), 'begun');
      assert.equal(await begin(NOW, { service, suffix: 'not-declared.example' }), 'absent');
    });

    it('marks the patterns of the host, and no others, and records who did it', async () => {
      const rival = await rig.service();
      await store.services.change(rival, { hosts: [suffix] }, audit);
      await prove();
      assert.deepEqual(await verifiedSuffixes(), [suffix]);
      assert.deepEqual((await store.ownership.verified([rival]))[0], new Set());
      const [claim] = await store.ownership.claims(service);
      assert.deepEqual(claim, {
        suffix,
        method: 'dns',
        verifiedAt: NOW,
        checkedAt: NOW,
        failingSince: undefined,
        problem: undefined,
      });
      assert.deepEqual(await actions(), ['ownership.verify']);
      await record(key, 'no_record', later(DAY_MS));
      assert.deepEqual(await verifiedSuffixes(), [suffix], 'a failing proof still holds');
      await record(key, 'other_token', later(DAY_MS + 1));
      assert.deepEqual(await verifiedSuffixes(), []);
      assert.deepEqual(await actions(), [
        'ownership.withdraw',
        'ownership.check',
        'ownership.verify',
      ]);
    });

    it('decides which of two services with the same host gets its reports', async () => {
      const rival = await rig.service();
      await store.services.change(rival, { hosts: [suffix, `*.${suffix}`] }, audit);
      const routes = async () => [
        (await store.services.route(suffix))?.service,
        (await store.services.route(`a.${suffix}`))?.service,
      ];
      const [first = '', second = ''] = [service, rival].sort();
      assert.deepEqual(await routes(), [first, first]);
      const key = { service: second, suffix };
      await begin(NOW, key);
      await record(key, undefined);
      assert.deepEqual(await routes(), [second, second]);
      await record(key, 'other_token');
      assert.deepEqual(await routes(), [first, first]);
    });

    it('looks at old reports again only if another service declares the same', async () => {
      await rig.create(service);
      const slice = () => store.feeds.reevaluateOld(NOW, 1000);
      const walk = async () => {
        while ((await slice()) > 0);
      };
      await walk();
      await prove();
      assert.equal(await slice(), 0);
      await record(key, 'other_token');
      assert.equal(await slice(), 0);
      await store.services.change(await rig.service(), { hosts: [`*.${suffix}`] }, audit);
      await walk();
      await record(key, undefined);
      assert.ok((await slice()) > 0);
    });

    it('ends the proofs of hosts that are no longer declared, and keeps the others', async () => {
      const removed = { service, suffix: `gone.${suffix}` };
      await store.services.change(service, { hosts: [suffix, `*.${removed.suffix}`] }, audit);
      await prove();
      await begin(NOW, removed);
      await record(removed, undefined);
      assert.equal((await verifiedSuffixes()).length, 2);
      await store.services.change(service, { networks: ['192.0.2.0/24'] }, audit);
      assert.equal((await verifiedSuffixes()).length, 2, 'a change of networks ends none');
      await store.services.change(service, { hosts: [`*.${suffix}`] }, audit);
      assert.deepEqual(await verifiedSuffixes(), [suffix]);
      assert.equal((await store.ownership.claims(service)).length, 1);
      assert.equal((await actions())[0], 'ownership.withdraw');
      await store.services.change(service, { hosts: [suffix, removed.suffix] }, audit);
      assert.deepEqual(await verifiedSuffixes(), [suffix], 'it has to be proven again');
    });

    it('does not record a check of a host that was removed meanwhile', async () => {
      await begin(NOW);
      await store.services.change(service, { hosts: [] }, audit);
      assert.equal(await record(key, undefined), 'absent');
      assert.deepEqual(await store.ownership.claims(service), []);
    });

    it('leases proofs that are due to one node at a time', async () => {
      await prove();
      const claim = (at: Date) =>
        store.ownership.leaseDue({ now: at, limit: 2, leaseMs: LEASE_MS });
      assert.deepEqual(await claim(later(DAY_MS - 1)), []);
      const claims = await Promise.all([claim(later(DAY_MS)), claim(later(DAY_MS))]);
      assert.deepEqual(claims.flat(), [{ service, suffix, method: 'dns', token: 'token' }]);
      assert.deepEqual(await claim(later(DAY_MS + LEASE_MS - 1)), []);
      assert.equal((await claim(later(DAY_MS + LEASE_MS))).length, 1, 'the first node was lost');
      await record(key, undefined, later(DAY_MS + LEASE_MS));
      assert.deepEqual(await claim(later(2 * DAY_MS)), []);
      assert.equal((await claim(later(2 * DAY_MS + LEASE_MS))).length, 1);
    });

    it('checks no declared host by itself', async () => {
      await begin(NOW);
      await record(key, 'no_record');
      assert.deepEqual(await leased(), []);
    });

    it('records repeated results of daily checks once', async () => {
      await prove();
      const check = { method: 'dns', problem: 'dns_failed', at: later(DAY_MS), chance: 0 } as const;
      for (let day = 0; day < 3; day += 1)
        await store.ownership.record({ ...key, check, isRequested: false }, audit);
      assert.deepEqual(await actions(), ['ownership.check', 'ownership.verify']);
    });
  });
}
