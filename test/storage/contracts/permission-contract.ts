import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { AccountChanges, NewAccount, NewToken, Store } from '../../../src/ports/store.ts';
import { FeedRig, HOUR_MS, later } from './feed-rig.ts';
import { audit, NOW, newAccount, newSample, newToken } from './store-contract.ts';

interface Person {
  readonly account: NewAccount;
  readonly token: NewToken;
  /** The id of the token, or of the session that it started. */
  readonly credentialId: string;
}

/** The ways to end a permission, each with the refusal of the next write. */
const ENDINGS: readonly (readonly [string, (store: Store, person: Person) => Promise<unknown>])[] =
  [
    ['its token is revoked', (store, { token }) => store.tokens.revoke(token.id, undefined, audit)],
    ['its account is disabled', change({ disabled: true })],
    ['its account has expired', change({ expiresAt: later(-HOUR_MS) })],
  ];

function change(changes: AccountChanges) {
  return (store: Store, { account }: Person) => store.accounts.change(account.id, changes, audit);
}

/** Every write checks the caller's permission in its own transaction. */
export function permissionContract(name: string, open: () => Promise<Store>): void {
  describe(`permission in the ${name} store`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    async function person(
      services: readonly string[] = [],
      via: 'token' | 'session' = 'token',
    ): Promise<Person> {
      const account = newAccount({ roles: ['researcher', 'admin'], services });
      const token = newToken();
      assert.equal(typeof (await store.accounts.add(account, token, audit)), 'object');
      if (via === 'token') return { account, token, credentialId: token.id };
      const session = { id: randomUUID(), digest: randomBytes(32) };
      const by = { accountId: account.id, tokenId: token.id };
      assert.equal(await store.sessions.start(session, by, NOW), 'started');
      return { account, token, credentialId: session.id };
    }

    function reportOf(service: string, { account, credentialId }: Person) {
      return rig.report(service, {
        reporterId: account.id,
        reportedBy: account.name,
        tokenId: credentialId,
      });
    }

    const headOf = async (service: string) => (await store.feeds.heads(service)).get(service);

    const cases = ENDINGS.flatMap(([what, end]) =>
      (['token', 'session'] as const).map((via) => ({ what, end, via })),
    );
    for (const { what, end, via } of cases) {
      it(`refuses every write of a ${via} after ${what}`, async () => {
        const service = await rig.service();
        const one = await person([service], via);
        const report = reportOf(service, one);
        assert.equal((await store.reports.create(report)).kind, 'created');
        await end(store, one);
        const refused = { kind: 'refused', refusal: 'token-ended' };
        assert.deepEqual(await store.reports.create(reportOf(service, one)), refused);
        const both = [reportOf(service, one), reportOf(service, one)];
        assert.deepEqual(await store.feeds.createMany(both), [refused, refused]);

        const { id: accountId } = one.account;
        const { credentialId: tokenId } = one;
        const status = { status: 'acknowledged', reason: undefined, note: undefined } as const;
        const target = { service, ids: [report.id], limit: 1 };
        assert.equal(
          await store.feeds.setStatus(target, {
            ...status,
            accountId,
            actor: 'x',
            tokenId,
            at: NOW,
          }),
          'token-ended',
        );
        const deletion = { id: report.id, by: 'x', at: NOW, reason: '' };
        assert.equal(
          await store.reports.delete(service, { accountId, tokenId, ownsFeed: true }, deletion),
          'token-ended',
        );
        await assert.rejects(store.samples.putAll([newSample()], NOW, { accountId, tokenId }), {
          code: 'token_invalid',
        });
        assert.equal(await headOf(service), 1, 'a refused write takes no sequence');
      });
    }

    it('refuses a create after the role was removed, but not the others of its batch', async () => {
      const service = await rig.service();
      const [one, other] = [await person(), await person()];
      await change({ roles: [] })(store, one);
      const kinds = await Promise.all(
        [one, other].map(async (who) => (await store.reports.create(reportOf(service, who))).kind),
      );
      assert.deepEqual(kinds, ['refused', 'created']);
      assert.equal(await headOf(service), 1);
    });

    it('deletes nothing for an account that no longer owns the feed', async () => {
      const service = await rig.service();
      const { account, token } = await person([service]);
      const report = await rig.create(service);
      await store.accounts.change(account.id, { services: [] }, audit);
      const by = { accountId: account.id, tokenId: token.id, ownsFeed: true };
      const deletion = { id: report.id, by: 'x', at: NOW, reason: '' };
      assert.equal(await store.reports.delete(service, by, deletion), 'forbidden');
    });

    it('never commits a create after the change that ended the permission', async () => {
      const service = await rig.service();
      for (let round = 0; round < 5; round += 1) {
        const one = await person();
        const creates = Array.from({ length: 20 }, () =>
          store.feeds.createMany([reportOf(service, one)]),
        );
        const ended = store.accounts.change(one.account.id, { disabled: true }, audit);
        const late = ended.then(async () => headOf(service));
        await Promise.all([...creates, ended]);
        assert.equal(await headOf(service), await late, 'nothing followed the change');
      }
    });
  });
}
