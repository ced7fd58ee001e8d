import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { isLive, type Role } from '../../../src/domain/accounts/caller.ts';
import { HOUR_MS } from '../../../src/domain/duration.ts';
import type { NewAccount, NewToken, Store } from '../../../src/ports/store.ts';
import { later } from './feed-rig.ts';
import { audit, NOW, newAccount, newToken } from './store-contract.ts';

interface Person {
  readonly account: NewAccount;
  readonly token: NewToken;
}

/** Disabling, the last administrator, names and the origin of tokens, on every database. */
export function accountsContract(name: string, open: () => Promise<Store>): void {
  describe(`accounts in the ${name} store`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    async function person(roles: readonly Role[] = ['researcher', 'admin']): Promise<Person> {
      const [account, token] = [newAccount({ roles }), newToken()];
      assert.ok('id' in Object(await store.accounts.add(account, token, audit)));
      return { account, token };
    }

    const authorityOf = ({ account, token }: Person) => ({
      accountId: account.id,
      tokenId: token.id,
    });

    async function sessionOf(someone: Person) {
      const session = { id: randomUUID(), digest: randomBytes(32) };
      assert.equal(await store.sessions.start(session, authorityOf(someone), NOW), 'started');
      return session;
    }

    async function linkOf({ account }: Person) {
      const [id, digest] = [randomUUID(), randomBytes(32)];
      const link = { id, digest, purpose: 'sign-in' as const, expiresAt: later(HOUR_MS) };
      assert.equal(await store.sessions.addLink(account.id, link, audit), 'added');
      return link;
    }

    async function isValid({ digest }: { readonly digest: Uint8Array }): Promise<boolean> {
      const found = await store.access.findCredential(digest);
      return found !== undefined && isLive(found, later(1));
    }

    const canUse = async (link: { readonly digest: Uint8Array }) =>
      (await store.sessions.startWithLink(
        { id: randomUUID(), digest: randomBytes(32) },
        link.digest,
        NOW,
      )) === 'started';

    it('end sessions and links for good when they are disabled or expire', async () => {
      for (const [out, back] of [
        [{ disabled: true }, { disabled: false }],
        [{ expiresAt: NOW }, { expiresAt: null }],
      ]) {
        const [one, other] = [await person(), await person()];
        const [session, kept] = [await sessionOf(one), await sessionOf(other)];
        const link = await linkOf(one);
        await store.accounts.change(one.account.id, out ?? {}, audit);
        assert.equal(await isValid(session), false);
        await store.accounts.change(one.account.id, back ?? {}, audit);
        assert.deepEqual(
          [await isValid(session), await isValid(kept), await isValid(one.token)],
          [false, true, true],
        );
        assert.equal(await canUse(link), false);
        assert.equal(await isValid(await sessionOf(one)), true);
      }
    });

    it('end what a link starts while they are disabled and enabled', async () => {
      for (let round = 0; round < 5; round += 1) {
        const someone = await person();
        const link = await linkOf(someone);
        const session = { id: randomUUID(), digest: randomBytes(32) };
        await Promise.all([
          store.accounts.change(someone.account.id, { disabled: true }, audit),
          store.sessions.startWithLink(session, link.digest, NOW),
        ]);
        await store.accounts.change(someone.account.id, { disabled: false }, audit);
        assert.equal(await isValid(session), false);
        assert.equal(await canUse(link), false);
      }
    });

    it('keep one administrator of two who end each other at once', async () => {
      for (const [one, other] of [
        [{ disabled: true }, { disabled: true }],
        [{ roles: [] }, { expiresAt: NOW }],
      ]) {
        const [first, second] = [await person(), await person()];
        const outcomes = await Promise.all([
          store.accounts.change(first.account.id, one ?? {}, audit, authorityOf(second)),
          store.accounts.change(second.account.id, other ?? {}, audit, authorityOf(first)),
        ]);
        assert.equal(outcomes.filter((outcome) => 'id' in Object(outcome)).length, 1);
        assert.equal(outcomes.filter((outcome) => 'refusal' in Object(outcome)).length, 1);
      }
    });

    it('cannot end the own administration, and are told whether others are left', async () => {
      const [first, second] = [await person(), await person(['admin'])];
      for (const changes of [{ disabled: true }, { roles: [] }, { expiresAt: NOW }]) {
        const by = authorityOf(first);
        assert.equal(
          await store.accounts.change(first.account.name, changes, audit, by),
          'own-account',
        );
      }
      assert.equal(await store.accounts.hasAdministrator(NOW, first.account.id), true);
      // The command line may.
      const changed = await store.accounts.change(second.account.id, { roles: [] }, audit);
      assert.ok('id' in Object(changed));
    });

    it('have names that do not look alike, however many are added at once', async () => {
      const unique = randomUUID().slice(0, 8);
      const names = ['Desk', 'desk', 'DESK', 'ｄｅｓｋ'].map((text) => `${text} ${unique}`);
      const added = await Promise.all(
        names.map((one) => store.accounts.add(newAccount({ name: one }), newToken(), audit)),
      );
      const winner = added.findIndex((outcome) => 'id' in Object(outcome));
      const others = added.filter((_, index) => index !== winner);
      assert.deepEqual(others, Array(3).fill({ takenBy: names[winner] }));
    });

    it('record what issued their tokens, and revoke those issued in sessions', async () => {
      const [one, other] = [await person(), await person([])];
      const session = await sessionOf(one);
      const issue = async (accountId: string, tokenId?: string) => {
        const token = newToken();
        const issuer = tokenId === undefined ? undefined : { ...authorityOf(one), tokenId };
        const issued = await store.tokens.issue(accountId, token, audit, { issuer });
        return { token, origin: 'origin' in Object(issued) && (issued as Origin).origin };
      };
      interface Origin {
        readonly origin: string;
      }
      const inSession = await issue(one.account.id, session.id);
      const withToken = await issue(one.account.id, one.token.id);
      const forOther = await issue(other.account.id, session.id);
      const byOperator = await issue(one.account.id);
      const transitive = await issue(one.account.id, inSession.token.id);
      assert.deepEqual(
        [inSession, withToken, forOther, byOperator, transitive].map(({ origin }) => origin),
        ['session', 'token', 'administrator', 'operator', 'token'],
      );
      const { id } = one.account;
      const own = { issued: true, ofAccount: id };
      assert.deepEqual(await store.sessions.endAll(id, audit, own), { ended: 1, revoked: 2 });
      assert.deepEqual(
        await Promise.all(
          [inSession, transitive, withToken, forOther, byOperator].map(({ token }) =>
            isValid(token),
          ),
        ),
        [false, false, true, true, true],
      );
      const all = await store.sessions.endAll(id, audit, { issued: true });
      assert.deepEqual(all, { ended: 0, revoked: 1 });
      assert.equal(await isValid(forOther.token), false);
      assert.deepEqual(await store.sessions.endAll(id, audit), { ended: 0, revoked: 0 });
    });
  });
}
