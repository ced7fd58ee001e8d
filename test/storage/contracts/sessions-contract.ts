import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { isLive } from '../../../src/domain/accounts/caller.ts';
import { MAX_LINKS, MAX_SESSIONS } from '../../../src/domain/accounts/session.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/duration.ts';
import { formatUuidV7 } from '../../../src/domain/uuid.ts';
import type { NewAccount, NewToken, Store } from '../../../src/ports/store.ts';
import { later } from './feed-rig.ts';
import { audit, NOW, newAccount, newToken } from './store-contract.ts';

interface Person {
  readonly account: NewAccount;
  readonly token: NewToken;
}

/** Sessions of browsers and sign-in links, which every store keeps. */
export function sessionsContract(name: string, open: () => Promise<Store>): void {
  describe(`sessions in the ${name} store`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    let ids = 0;
    const newId = () => formatUuidV7(new Date(NOW.getTime() + ids++), randomBytes(10));
    const newSession = (replaces?: Uint8Array) => ({
      id: newId(),
      digest: randomBytes(32),
      replaces,
    });
    const newLink = (expiresAt = later(HOUR_MS)) => ({
      id: newId(),
      digest: randomBytes(32),
      purpose: 'sign-in' as const,
      expiresAt,
    });

    async function person(members: Partial<NewToken> = {}): Promise<Person> {
      const account = newAccount({ roles: ['researcher', 'admin'] });
      const token = newToken(members);
      await store.accounts.add(account, token, audit);
      return { account, token };
    }

    const authorityOf = ({ account, token }: Person) => ({
      accountId: account.id,
      tokenId: token.id,
    });

    async function sessionOf(someone: Person) {
      const session = newSession();
      assert.equal(await store.sessions.start(session, authorityOf(someone), NOW), 'started');
      return session;
    }

    async function linkOf({ account }: Person, expiresAt?: Date) {
      const link = newLink(expiresAt);
      assert.equal(await store.sessions.addLink(account.id, link, audit), 'added');
      return link;
    }

    async function sessionByLink(someone: Person) {
      const [session, link] = [newSession(), await linkOf(someone)];
      assert.equal(await store.sessions.startWithLink(session, link.digest, NOW), 'started');
      return session;
    }

    async function isValid({ digest }: { readonly digest: Uint8Array }, at = NOW) {
      const found = await store.access.findCredential(digest);
      return found !== undefined && isLive(found, at);
    }

    it('identify the caller by the digest, as a token does', async () => {
      const one = await person({ expiresAt: later(DAY_MS) });
      const session = await sessionOf(one);
      const found = await store.access.findCredential(session.digest);
      assert.partialDeepStrictEqual(found, {
        caller: {
          accountId: one.account.id,
          name: one.account.name,
          roles: ['researcher', 'admin'],
          tokenId: session.id,
          session: { via: 'token', tokenId: one.token.id, expiresAt: later(DAY_MS) },
        },
        disabled: false,
        revoked: false,
        expiresAt: later(DAY_MS),
      });
      const byLink = await store.access.findCredential((await sessionByLink(one)).digest);
      const expiresAt = later(30 * DAY_MS);
      assert.deepEqual(byLink?.caller.session, { via: 'link', tokenId: undefined, expiresAt });
    });

    it('end with their token, without the token with others', async () => {
      const one = await person();
      const [ofToken, ofLink] = [await sessionOf(one), await sessionByLink(one)];
      assert.deepEqual([await isValid(ofToken), await isValid(ofLink)], [true, true]);
      await store.tokens.revoke(one.token.id, undefined, audit);
      assert.deepEqual([await isValid(ofToken), await isValid(ofLink)], [false, true]);
    });

    it('end with the tokens that a token issued, if those are revoked too', async () => {
      const one = await person();
      const issued = newToken();
      await store.tokens.issue(one.account.id, issued, audit, { issuer: authorityOf(one) });
      const session = await sessionOf({ ...one, token: issued });
      await store.tokens.revoke(one.token.id, undefined, audit, { issued: true });
      assert.equal(await isValid(session), false);
    });

    for (const [what, changes] of [
      ['is disabled', { disabled: true }],
      ['expires', { expiresAt: later(-HOUR_MS) }],
    ] as const)
      it(`end when their account ${what}, and start no more`, async () => {
        const one = await person();
        const [ofToken, ofLink] = [await sessionOf(one), await sessionByLink(one)];
        const link = await linkOf(one);
        await store.accounts.change(one.account.id, changes, audit);
        assert.deepEqual([await isValid(ofToken), await isValid(ofLink)], [false, false]);
        const { sessions } = store;
        assert.equal(await sessions.start(newSession(), authorityOf(one), NOW), 'token-ended');
        assert.equal(await sessions.startWithLink(newSession(), link.digest, NOW), 'link-invalid');
      });

    it('are refused with a token that was revoked', async () => {
      const one = await person();
      await store.tokens.revoke(one.token.id, undefined, audit);
      const session = newSession();
      assert.equal(await store.sessions.start(session, authorityOf(one), NOW), 'token-ended');
      assert.equal(await isValid(session), false);
    });

    it('expire after 30 days', async () => {
      const session = await sessionOf(await person());
      assert.equal(await isValid(session, later(30 * DAY_MS - 1)), true);
      assert.equal(await isValid(session, later(30 * DAY_MS)), false);
    });

    it('end one by one, all at once, or by being replaced', async () => {
      const one = await person();
      const other = await person();
      const [first, second, third] = [
        await sessionOf(one),
        await sessionOf(one),
        await sessionByLink(one),
      ];
      const [link, kept] = [await linkOf(one), await sessionOf(other)];
      await store.sessions.end(first.digest);
      await store.sessions.end(first.digest);
      assert.deepEqual([await isValid(first), await isValid(second)], [false, true]);
      const replacement = newSession(second.digest);
      await store.sessions.start(replacement, authorityOf(one), NOW);
      assert.deepEqual([await isValid(second), await isValid(replacement)], [false, true]);
      assert.deepEqual(await store.sessions.endAll(one.account.id, audit), {
        ended: 2,
        revoked: 0,
      });
      for (const session of [third, replacement]) assert.equal(await isValid(session), false);
      assert.equal(
        await store.sessions.startWithLink(newSession(), link.digest, NOW),
        'link-invalid',
        'links end too',
      );
      assert.equal(await isValid(kept), true);
      assert.equal(await store.sessions.endAll('nobody', audit), 'unknown-account');
    });

    it('end with the oldest above the limit of an account', async () => {
      const one = await person();
      const first = await sessionOf(one);
      const second = await sessionOf(one);
      for (let count = 2; count < MAX_SESSIONS; count += 1) await sessionOf(one);
      assert.equal(await isValid(first), true);
      const last = await sessionOf(one);
      assert.deepEqual(
        [await isValid(first), await isValid(second), await isValid(last)],
        [false, true, true],
      );
    });

    it('hold the rights of a write until it is committed', async () => {
      const one = await person();
      for (const end of [
        (digest: Uint8Array) => store.sessions.end(digest),
        () => store.tokens.revoke(one.token.id, undefined, audit),
      ]) {
        const session = await sessionOf(one);
        const issuer = { accountId: one.account.id, tokenId: session.id };
        const issue = () => store.tokens.issue(one.account.id, newToken(), audit, { issuer });
        assert.equal('id' in ((await issue()) as object), true);
        await end(session.digest);
        assert.deepEqual(await issue(), { refusal: 'token-ended' });
      }
    });

    it('issue tokens that their token bounds, or their account if a link started them', async () => {
      const one = await person({ expiresAt: later(HOUR_MS) });
      const issueWith = async (session: { readonly id: string }, expiresAt?: Date) =>
        await store.tokens.issue(one.account.id, { ...newToken(), expiresAt }, audit, {
          issuer: { accountId: one.account.id, tokenId: session.id },
        });
      const [ofToken, ofLink] = [await sessionOf(one), await sessionByLink(one)];
      assert.partialDeepStrictEqual(await issueWith(ofToken), {
        expiresAt: later(HOUR_MS),
        issuerId: one.token.id,
      });
      assert.partialDeepStrictEqual(await issueWith(ofToken, later(DAY_MS)), { outlives: 'token' });
      const free = { expiresAt: undefined, issuerId: undefined };
      assert.partialDeepStrictEqual(await issueWith(ofLink), free);
      await store.accounts.change(one.account.id, { expiresAt: later(DAY_MS) }, audit);
      assert.partialDeepStrictEqual(await issueWith(ofLink, later(2 * DAY_MS)), {
        outlives: 'account',
      });
    });

    it('start once with a link, also concurrently, and record it', async () => {
      const one = await person();
      const link = await linkOf(one);
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () =>
          store.sessions.startWithLink(newSession(), link.digest, NOW),
        ),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'started').length, 1);
      const [used, added] = (await store.audit.list({ limit: 2 })).entries;
      const subject = one.account.name;
      assert.partialDeepStrictEqual(used, { actor: subject, action: 'link.use', subject });
      const purpose = 'sign-in';
      assert.partialDeepStrictEqual(added, { action: 'link.add', subject, detail: { purpose } });
    });

    it('do not start with a link that has expired', async () => {
      const link = await linkOf(await person(), later(HOUR_MS));
      const startAt = (at: Date) => store.sessions.startWithLink(newSession(), link.digest, at);
      assert.equal(await startAt(later(HOUR_MS)), 'link-invalid');
      assert.equal(await startAt(later(HOUR_MS - 1)), 'started');
    });

    it('have a limited number of links for an account', async () => {
      const one = await person();
      const first = await linkOf(one);
      for (let count = 0; count < MAX_LINKS; count += 1) await linkOf(one);
      assert.equal(
        await store.sessions.startWithLink(newSession(), first.digest, NOW),
        'link-invalid',
      );
    });

    it('have links of accounts that exist, by administrators who still are', async () => {
      const one = await person();
      const add = (accountId: string) =>
        store.sessions.addLink(accountId, newLink(), audit, authorityOf(one));
      assert.equal(await add('nobody'), 'unknown-account');
      assert.equal(await add(one.account.id), 'added');
      await store.accounts.change(one.account.id, { roles: [] }, audit);
      assert.deepEqual(await add(one.account.id), { refusal: 'role-missing' });
    });

    it('are deleted in slices after they expired', async () => {
      const one = await person({ expiresAt: later(HOUR_MS) });
      const sessions = [await sessionOf(one), await sessionOf(one), await sessionOf(one)];
      const kept = await sessionByLink(one);
      const link = await linkOf(one, later(HOUR_MS));
      const before = later(HOUR_MS + 1);
      for (let found: number | undefined; found !== 0; ) {
        found = await store.sessions.deleteExpired(before, 2);
        assert.ok(found <= 2);
      }
      for (const { digest } of sessions)
        assert.equal(await store.access.findCredential(digest), undefined);
      assert.equal(await isValid(kept), true);
      assert.equal(
        await store.sessions.startWithLink(newSession(), link.digest, NOW),
        'link-invalid',
      );
    });
  });
}
