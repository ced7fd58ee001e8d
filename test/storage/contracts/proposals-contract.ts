import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import { MAX_PROPOSALS } from '../../../src/domain/proposals/proposal.ts';
import type { Store } from '../../../src/ports/store.ts';
import { DAY_MS, later } from './feed-rig.ts';
import { ProposalsRig, type Researcher } from './proposals-rig.ts';
import { audit, NOW, newToken } from './store-contract.ts';

/** Proposals of uploads, and what becomes of them. */
export function proposalsContract(name: string, open: () => Promise<Store>): void {
  let store: Store;
  let rig: ProposalsRig;
  before(async () => {
    store = await open();
    rig = await ProposalsRig.in(store, 10);
  });
  after(() => store.close());

  /** An analysed upload with these hosts. */
  async function analysed(by: Researcher, ...hosts: readonly string[]) {
    const file = rig.file();
    await rig.upload(file, by);
    await rig.analyse(file, hosts);
    return file;
  }

  describe(`${name} proposals of an analysis`, () => {
    it('are made for each C2, for the service that answers or the built-in one', async () => {
      const alice = await rig.researcher();
      const file = rig.file();
      await rig.upload(file, alice, 'mine.exe');
      assert.deepEqual(await rig.list(alice), []);
      const tags = [
        { heat: 2, name: 'PE32' },
        { heat: 7, name: 'RAT' },
        { heat: 10, name: 'LANTERN' },
      ];
      await rig.analyse(file, ['z.invalid', 'a', '10.0.0.1', 'b', 'a'], { tags });
      assert.deepEqual(await rig.states(alice), ['a open', 'b open', 'z open']);
      const all = await rig.list(alice, { sha256: file.sha256 });
      const unclaimed = all.find(({ c2: { host } }) => host === 'z.invalid');
      assert.partialDeepStrictEqual(unclaimed, { service: 'unclaimed', confidenceScale: 100 });
      const first = all.find(({ c2: { host } }) => host === rig.hostOf('a'));
      const { id, c2, createdAt, ...others } = first ?? assert.fail();
      assert.equal(c2.port, 4444);
      assert.ok(createdAt > NOW);
      assert.deepEqual(await store.proposals.find(alice.id, id), first);
      assert.deepEqual(others, {
        state: 'open',
        service: rig.service,
        confidenceScale: 10,
        sha256: file.sha256,
        fileName: 'mine.exe',
        family: 'LANTERN',
        tags: ['lantern', 'rat'],
        reason: undefined,
        note: undefined,
        reportId: undefined,
        isUnrouted: false,
      });
    });

    it('are at most 32 for a file', async () => {
      const alice = await rig.researcher();
      const hosts = Array.from({ length: 50 }, (_, index) => `h${index}`);
      const file = await analysed(alice, ...hosts);
      assert.equal((await rig.list(alice)).length, MAX_PROPOSALS);
      const [one] = await rig.list(alice, { limit: 1 });
      await rig.dismiss(one ?? assert.fail(), alice);
      await rig.analyse(file, hosts.reverse());
      assert.equal((await rig.list(alice)).length, MAX_PROPOSALS);
      assert.equal((await rig.list(alice, { state: 'dismissed' })).length, 1);
    });

    it('are made for every account that uploaded the file, before or after it was analysed', async () => {
      const [alice, bob, carol] = [
        await rig.researcher(),
        await rig.researcher(),
        await rig.researcher(),
      ];
      const file = rig.file();
      await rig.upload(file, alice, 'first.exe');
      await rig.upload(file, bob, 'second.exe');
      await rig.analyse(file, ['a', '192.0.2.1'], { family: 'GENERIC' });
      assert.equal((await rig.upload(file, carol, 'third.exe')).status.state, 'done');
      for (const [by, fileName] of [
        [alice, 'first.exe'],
        [bob, 'second.exe'],
        [carol, 'third.exe'],
      ] as const) {
        const { id: _, createdAt: __, ...proposal } = await rig.only(by);
        assert.deepEqual(
          [proposal.fileName, proposal.c2, proposal.family, proposal.tags, proposal.state],
          [fileName, { host: rig.hostOf('a'), port: 4444 }, undefined, [], 'open'],
        );
      }
      await rig.upload(file, bob, 'again.exe');
      await rig.upload(file, alice, 'again.exe');
      assert.deepEqual(
        [(await rig.only(bob)).fileName, (await rig.only(alice)).fileName],
        ['second.exe', 'first.exe'],
      );
    });

    it('of a further account name the family of each C2, and hosts that end like an address', async () => {
      const [alice, bob] = [await rig.researcher(), await rig.researcher()];
      const file = rig.file();
      await rig.upload(file, alice);
      await rig.analyse(file, ['12', 'a-b', rig.address], {
        tags: [{ heat: 8, name: 'Stealer' }],
      });
      await rig.upload(file, bob);
      const shown = async (by: Researcher) =>
        (await rig.list(by))
          .map(({ c2: { host }, family, tags }) => [host, family, ...tags].join(' '))
          .sort();
      assert.deepEqual(await shown(bob), await shown(alice));
      assert.deepEqual(await shown(bob), [
        `${rig.hostOf('12')} LANTERN lantern stealer`,
        `${rig.address} LANTERN lantern stealer`,
        `${rig.hostOf('a-b')} LANTERN lantern stealer`,
      ]);
    });

    it('follow the next analysis: open ones are updated or withdrawn, decided ones stay', async () => {
      const [alice, bob] = [await rig.researcher(), await rig.researcher()];
      const file = await analysed(alice, 'a', 'b', 'c', 'd');
      await rig.upload(file, bob);
      const of = async (label: string) => {
        const found = await rig.list(alice);
        return found.find(({ c2 }) => c2.host === rig.hostOf(label)) ?? assert.fail();
      };
      assert.equal((await rig.report(await of('b'), alice)).kind, 'created');
      await rig.dismiss(await of('c'), alice);
      const kept = await of('a');
      await rig.analyse(file, ['a', 'e'], { tags: [{ heat: 9, name: 'Beacon' }] });
      assert.deepEqual(await rig.states(alice), ['a open', 'b reported', 'c dismissed', 'e open']);
      assert.deepEqual(await rig.states(bob), ['a open', 'e open']);
      const updated = await of('a');
      assert.deepEqual([updated.id, updated.tags], [kept.id, ['lantern', 'beacon']]);
    });

    it('are withdrawn if an imported analysis replaces it', async () => {
      const alice = await rig.researcher();
      const file = await analysed(alice, 'a', 'b');
      const [first] = await rig.list(alice);
      await rig.dismiss(first ?? assert.fail(), alice);
      await store.samples.putAll([{ ...file, fileName: 'other' }], NOW);
      assert.deepEqual(
        (await rig.list(alice)).map(({ state }) => state),
        ['dismissed'],
      );
    });

    it('follow the hosts of services', async () => {
      const other = await ProposalsRig.in(store);
      const alice = await other.researcher();
      const file = other.file();
      await other.upload(file, alice);
      await other.analyse(file, ['a']);
      const successor = await other.feeds.service();
      await store.services.change(successor, { hosts: [other.hostOf('a')] }, audit);
      await other.analyse(file, ['a']);
      assert.equal((await other.only(alice)).service, successor);
      await store.services.change(successor, { hosts: [] }, audit);
      await store.services.change(other.service, { hosts: [] }, audit);
      await other.analyse(file, ['a']);
      assert.equal((await other.only(alice)).service, 'unclaimed');
    });

    it('that are open follow the hosts of services at once', async () => {
      const other = await ProposalsRig.in(store);
      const alice = await other.researcher();
      const file = other.file();
      await other.upload(file, alice);
      await other.analyse(file, ['a', 'b']);
      const [of, successor] = [await other.list(alice), await other.feeds.service(90, 10)];
      const decided = of.find(({ c2 }) => c2.host === other.hostOf('b')) ?? assert.fail();
      await other.dismiss(decided, alice);
      await store.services.change(
        successor,
        { hosts: [other.hostOf('a'), other.hostOf('b')] },
        audit,
      );
      const [moved] = await other.list(alice, { state: 'open' });
      assert.partialDeepStrictEqual(moved, {
        service: successor,
        confidenceScale: 10,
        isUnrouted: false,
      });
      const found = await store.proposals.find(alice.id, decided.id);
      assert.deepEqual([found?.service, found?.isUnrouted], [other.service, false]);
      const { id } = moved ?? assert.fail();
      for (const service of [successor, other.service])
        await store.services.change(service, { hosts: [] }, audit);
      const unclaimed = await store.proposals.find(alice.id, id);
      assert.deepEqual([unclaimed?.service, unclaimed?.isUnrouted], ['unclaimed', false]);
      await store.services.change(successor, { hosts: [other.hostOf('a')] }, audit);
      const again = (await store.proposals.find(alice.id, id)) ?? assert.fail();
      const outcome = await other.report(again, alice);
      assert.equal(outcome.kind, 'created');
      const { state, service, reportId } =
        (await store.proposals.find(alice.id, id)) ?? assert.fail();
      assert.deepEqual([state, service], ['reported', successor]);
      assert.equal((await store.reports.find(successor, reportId ?? ''))?.sha256, file.sha256);
    });

    it('are made as reported if the account has reported that C2 and file in the feed', async () => {
      const [alice, bob] = [await rig.researcher(), await rig.researcher()];
      const file = rig.file();
      const own = { sha256: file.sha256, reporterId: alice.id, reportedBy: alice.name };
      const c2 = { host: rig.hostOf('a'), port: 4444 };
      const { id } = await rig.feeds.create(rig.service, { ...own, c2 });
      await rig.feeds.create(rig.service, { ...own, c2: { ...c2, port: 1 } });
      await rig.upload(file, alice);
      await rig.upload(file, bob);
      await rig.analyse(file, ['a', 'b']);
      assert.deepEqual(await rig.states(alice), ['a reported', 'b open']);
      assert.deepEqual(await rig.states(bob), ['a open', 'b open']);
      const [reported] = await rig.list(alice, { state: 'reported' });
      assert.equal(reported?.reportId, id);
    });

    it('of many accounts are withdrawn and removed in slices', async () => {
      const own = await ProposalsRig.in(store);
      const accounts: Researcher[] = [];
      const hosts = Array.from({ length: MAX_PROPOSALS }, (_, index) => `h${index}`);
      const [replaced, purged] = [own.file(), own.file()];
      for (let count = 0; count < 17; count += 1) {
        const by = await own.researcher();
        accounts.push(by);
        for (const file of [replaced, purged]) await own.upload(file, by);
      }
      for (const file of [replaced, purged]) await own.analyse(file, hosts);
      const [first = assert.fail(), last = assert.fail()] = [accounts[0], accounts.at(-1)];
      const of = { sha256: replaced.sha256 };
      assert.equal((await own.list(last, of)).length, MAX_PROPOSALS);
      const [one] = await own.list(first, of);
      await own.dismiss(one ?? assert.fail(), first);
      await store.samples.putAll([{ ...replaced, fileName: 'other' }], NOW);
      await store.samples.purge(purged.sha256, 'asked for', audit);
      const left = await Promise.all(accounts.map((by) => own.list(by)));
      assert.deepEqual(
        left.flat().map(({ id }) => id),
        [one?.id],
      );
    });

    it('are removed with the file', async () => {
      const [alice, bob] = [await rig.researcher(), await rig.researcher()];
      const file = await analysed(alice, 'a', 'b');
      await rig.upload(file, bob);
      const [first] = await rig.list(alice);
      await rig.report(first ?? assert.fail(), alice);
      await store.samples.purge(file.sha256, 'asked for', audit);
      assert.deepEqual([await rig.list(alice), await rig.list(bob)], [[], []]);
    });
  });

  describe(`${name} decisions about proposals`, () => {
    it('make one report, however many calls arrive at once', async () => {
      const alice = await rig.researcher();
      await analysed(alice, 'a');
      const proposal = await rig.only(alice);
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => rig.report(proposal, alice)),
      );
      const created = outcomes.filter(({ kind }) => kind === 'created');
      const ids = new Set(outcomes.map((one) => ('id' in one ? one.id : one.kind)));
      assert.deepEqual([created.length, ids.size], [1, 1]);
      const reports = await rig.feeds.list(rig.service, { sha256: proposal.sha256 });
      assert.deepEqual(
        reports.map(({ id }) => id),
        [...ids],
      );
      const { state, reportId } = await rig.only(alice);
      assert.deepEqual([state, reportId], ['reported', reports[0]?.id]);
      assert.equal(await rig.dismiss(proposal, alice), 'reported');
    });

    it('are made by a report of the same C2 and file that was created by hand', async () => {
      const [alice, bob] = [await rig.researcher(), await rig.researcher()];
      const file = await analysed(alice, 'a', 'b', 'c');
      await rig.upload(file, bob);
      const byHand = (label: string, by: Researcher, service = rig.service) => {
        const c2 = { host: rig.hostOf(label), port: 4444 };
        const own = { sha256: file.sha256, reporterId: by.id, reportedBy: by.name };
        return rig.feeds.create(service, { ...own, c2 });
      };
      const { id } = await byHand('a', alice);
      // In a feed that does not answer for the host, and of another account.
      await byHand('b', alice, await rig.feeds.service());
      await byHand('c', bob);
      assert.deepEqual(await rig.states(alice), ['a reported', 'b open', 'c open']);
      assert.deepEqual(await rig.states(bob), ['a open', 'b open', 'c reported']);
      const [reported] = await rig.list(alice, { state: 'reported' });
      assert.equal(reported?.reportId, id);
      assert.deepEqual(await rig.report(reported ?? assert.fail(), alice), {
        kind: 'replayed',
        id,
      });
      await byHand('a', alice);
      assert.equal((await rig.list(alice, { state: 'reported' }))[0]?.reportId, id);
    });

    it('are made by a report by hand that arrives with the decision', async () => {
      const alice = await rig.researcher();
      const file = await analysed(alice, 'a');
      const proposal = await rig.only(alice);
      const byHand = rig.feeds.report(rig.service, {
        sha256: file.sha256,
        c2: proposal.c2,
        reporterId: alice.id,
        reportedBy: alice.name,
      });
      const outcomes = await store.feeds.createMany([
        byHand,
        { ...byHand, id: randomUUID(), proposalId: proposal.id },
      ]);
      assert.deepEqual(outcomes, [
        { kind: 'created', id: byHand.id },
        { kind: 'replayed', id: byHand.id },
      ]);
      assert.equal((await rig.only(alice)).reportId, byHand.id);
    });

    it('keep the state if the report is deleted', async () => {
      const alice = await rig.researcher();
      await analysed(alice, 'a');
      const proposal = await rig.only(alice);
      const id = randomUUID();
      await rig.report(proposal, alice, id);
      assert.equal(await rig.feeds.delete({ service: rig.service, id }), 'deleted');
      assert.deepEqual(await rig.report(proposal, alice), { kind: 'replayed', id });
    });

    it('are those of the account', async () => {
      const [alice, mallory] = [await rig.researcher(), await rig.researcher()];
      await analysed(alice, 'a');
      const proposal = await rig.only(alice);
      assert.deepEqual(await rig.list(mallory, { sha256: proposal.sha256 }), []);
      assert.equal(await store.proposals.find(mallory.id, proposal.id), undefined);
      assert.deepEqual(await rig.report(proposal, mallory), { kind: 'proposal-absent' });
      assert.equal(await rig.dismiss(proposal, mallory), 'absent');
      assert.deepEqual(await rig.only(alice), proposal);
    });

    it('refuse to report what was dismissed; dismissing again changes the reason', async () => {
      const alice = await rig.researcher();
      const file = await analysed(alice, 'a');
      const { id } = await rig.only(alice);
      const by = { accountId: alice.id, tokenId: alice.token.id };
      const at = later(1000);
      for (const [reason, note] of [
        ['already_known', 'seen'],
        ['wrong_service', undefined],
      ] as const) {
        const dismissed = await store.proposals.dismiss(by, { id, reason, note, at });
        assert.ok(typeof dismissed === 'object');
        assert.deepEqual(
          [dismissed.state, dismissed.reason, dismissed.note],
          ['dismissed', reason, note],
        );
      }
      const proposal = await rig.only(alice);
      assert.deepEqual(await rig.report(proposal, alice), { kind: 'proposal-dismissed' });
      assert.deepEqual(await rig.feeds.list(rig.service, { sha256: file.sha256 }), []);
    });

    it('have one winner of a report and a dismissal at once', async () => {
      const alice = await rig.researcher();
      for (let round = 0; round < 5; round += 1) {
        const file = await analysed(alice, 'a');
        const [proposal] = await rig.list(alice, { sha256: file.sha256 });
        if (proposal === undefined) assert.fail();
        const [reported, dismissed] = await Promise.all([
          rig.report(proposal, alice),
          rig.dismiss(proposal, alice),
        ]);
        const reports = await rig.feeds.list(rig.service, { sha256: file.sha256 });
        const isReported = reported.kind === 'created';
        assert.equal(dismissed === 'reported', isReported);
        assert.equal(reports.length, isReported ? 1 : 0);
        const [now] = await rig.list(alice, { sha256: file.sha256 });
        assert.equal(now?.state, isReported ? 'reported' : 'dismissed');
      }
    });

    it('need a permission that has not ended', async () => {
      const alice = await rig.researcher();
      await analysed(alice, 'a');
      const proposal = await rig.only(alice);
      await store.tokens.revoke(alice.token.id, undefined, audit);
      assert.equal((await rig.report(proposal, alice)).kind, 'refused');
      await assert.rejects(
        rig.dismiss(proposal, alice),
        (cause) => cause instanceof Problem && cause.code === 'token_invalid',
      );
      const token = newToken();
      await store.tokens.issue(alice.id, token, audit);
      await store.accounts.change(alice.id, { roles: [] }, audit);
      const stripped = { ...alice, token };
      assert.equal((await rig.report(proposal, stripped)).kind, 'refused');
      assert.equal((await rig.only(alice)).state, 'open');
    });
  });

  describe(`${name} lists of proposals`, () => {
    it('are newest first, in pages, of one state or file', async () => {
      const alice = await rig.researcher();
      const files = [await analysed(alice, 'a', 'b'), await analysed(alice, 'c')];
      const [newest, ...others] = await rig.list(alice);
      assert.deepEqual([newest?.sha256, others.length], [files[1]?.sha256, 2]);
      const [first] = await rig.list(alice, { limit: 1 });
      assert.deepEqual(first, newest);
      assert.deepEqual(await rig.list(alice, { before: newest?.id, limit: 10 }), others);
      await rig.dismiss(newest ?? assert.fail(), alice);
      assert.deepEqual(await rig.list(alice, { state: 'open' }), others);
      assert.deepEqual(await rig.list(alice, { state: 'open', before: others[0]?.id }), [
        others[1],
      ]);
      assert.deepEqual(await rig.list(alice, { sha256: files[0]?.sha256 }), others);
      assert.deepEqual(await rig.list(alice, { sha256: files[0]?.sha256, limit: 1 }), [others[0]]);
      assert.deepEqual(await rig.states(alice, { sha256: files[1]?.sha256, state: 'open' }), []);
    });

    it('lose what was made or decided long ago, in slices', async () => {
      const own = await ProposalsRig.in(store);
      const alice = await own.researcher();
      const file = own.file();
      await own.upload(file, alice);
      await own.analyse(file, ['a', 'b', 'c']);
      const [recent] = await own.list(alice);
      await own.dismiss(recent ?? assert.fail(), alice, later(30 * DAY_MS));
      // Others of this store are as old.
      for (const before of [later(-DAY_MS), later(DAY_MS)])
        for (;;) {
          const found = await store.proposals.deleteOld(before, 2);
          assert.ok(found <= 2);
          if (found === 0) break;
        }
      assert.deepEqual(
        (await own.list(alice)).map(({ id }) => id),
        [recent?.id],
      );
    });
  });
}
