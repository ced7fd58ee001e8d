import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../../src/ports/store.ts';
import { audit, NOW, newAccount, newSample, newToken } from './store-contract.ts';

/** The limits of accounts, which every store enforces. */
export function accountLimitsContract(name: string, open: () => Promise<Store>): void {
  describe(`the limits of accounts on ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    async function account(): Promise<string> {
      const added = newAccount();
      await store.accounts.add(added, newToken(), audit);
      return added.id;
    }

    it('counts the stored bytes of an account, and refuses uploads beyond its limit', async () => {
      const id = await account();
      const { samples } = store;
      const uploadOf = (sizeBytes: number) => {
        const { md5, sha1, sha256, sha512, blake3 } = newSample();
        const digests = { md5, sha1, sha256, sha512, blake3 };
        return { digests, sizeBytes, fileName: 'a', uploadedBy: id, uploadedAt: NOW };
      };
      const first = uploadOf(60);
      assert.equal((await samples.submit(first, 100)).outcome, 'queued');
      assert.equal((await samples.submit(uploadOf(41), 100)).outcome, 'full');
      assert.equal((await samples.submit(uploadOf(101), 100)).outcome, 'full');
      assert.equal((await samples.submit(first, 10)).outcome, 'known', 'it takes no more room');
      assert.equal(await samples.storedBytes(id), 60);
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, () => samples.submit(uploadOf(10), 100)),
      );
      assert.equal(outcomes.filter(({ outcome }) => outcome === 'queued').length, 4);
      assert.equal(await samples.storedBytes(id), 100);
      await samples.purge(first.digests.sha256, 'asked for', audit);
      assert.equal(await samples.storedBytes(id), 40);
      assert.equal((await samples.submit(uploadOf(60), 100)).outcome, 'queued');
    });

    it('keeps the rate of creates of an account, which its callers have', async () => {
      const createRate = { perMinute: 60_000, burst: 200_000 };
      const [added, token] = [{ ...newAccount(), createRate }, newToken()];
      const stored = await store.accounts.add(added, token, audit);
      assert.ok(typeof stored === 'object' && 'id' in stored);
      assert.deepEqual(stored.createRate, createRate);
      const rate = async () => {
        const account = await store.accounts.find(added.id, NOW);
        const credential = await store.access.findCredential(token.digest);
        assert.deepEqual(credential?.caller.createRate, account?.createRate);
        return account?.createRate;
      };
      assert.deepEqual(await rate(), createRate);
      await store.accounts.change(added.id, { disabled: false }, audit);
      assert.deepEqual(await rate(), createRate);
      await store.accounts.change(added.id, { createRate: { perMinute: 1, burst: 2 } }, audit);
      assert.deepEqual(await rate(), { perMinute: 1, burst: 2 });
      await store.accounts.change(added.id, { createRate: null }, audit);
      assert.equal(await rate(), undefined);
    });

    it('issues no more valid tokens than allowed, also concurrently', async () => {
      const id = await account();
      const { tokens } = store;
      const soon = new Date(NOW.getTime() + 1000);
      const issue = (at = NOW, expiresAt?: Date) =>
        tokens.issue(id, { ...newToken(), expiresAt }, { actor: 'test', at }, { maxLive: 4 });
      // With the first token of the account there is room for three.
      const issued = await Promise.all([1, 2, 3, 4, 5, 6].map(() => issue(NOW, soon)));
      const live = issued.filter((one) => typeof one === 'object' && 'id' in one);
      assert.equal(live.length, 3);
      assert.deepEqual(
        new Set(issued.filter((one) => typeof one !== 'object')),
        new Set(['too-many']),
      );
      await tokens.revoke(live[0]?.id ?? '', id, audit);
      assert.equal(typeof (await issue()), 'object', 'one was revoked');
      assert.equal(await issue(), 'too-many');
      assert.equal(typeof (await issue(soon)), 'object', 'two have expired');
    });

    it('lists tokens page by page', async () => {
      const id = await account();
      const { tokens } = store;
      for (let issued = 0; issued < 4; issued += 1) await tokens.issue(id, newToken(), audit);
      const all = await tokens.list(id, { after: undefined, limit: 10 });
      assert.equal(all.length, 5);
      const first = await tokens.list(id, { after: undefined, limit: 3 });
      const rest = await tokens.list(id, { after: first.at(-1)?.id, limit: 3 });
      assert.deepEqual([...first, ...rest], all);
    });
  });
}
