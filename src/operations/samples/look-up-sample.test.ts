import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256Of } from '../../../test/builders.ts';
import { alice, fakeDependencies } from '../../../test/fakes.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { Problem } from '../../domain/problem.ts';
import type { Lookup, LookupAnswer } from '../../ports/sample-store.ts';
import { lookUpSample } from './look-up-sample.ts';

const HASH = sha256Of('a file');
const daily: QuotaBalance = {
  limit: 10,
  period: 'day',
  remaining: 0,
  resetsAt: new Date('2026-08-27T00:00:00Z'),
};
const prepaid: QuotaBalance = { limit: 10, period: 'none', remaining: 0, resetsAt: undefined };

function samples(answer: Partial<LookupAnswer>) {
  const asked: Lookup[] = [];
  const deps = fakeDependencies({
    samples: {
      async lookUp(lookup) {
        asked.push(lookup);
        return { served: true, quota: daily, body: undefined, pending: false, ...answer };
      },
    },
  });
  return { deps, asked };
}

const LARGE = { served: true, quota: daily, body: undefined, pending: false };

async function problemOf({ deps }: ReturnType<typeof samples>, text: string): Promise<Problem> {
  try {
    await lookUpSample(deps, alice, text, async () => undefined);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return assert.fail('it was found');
}

describe('looking up a sample', () => {
  it('returns the stored analysis and the balance', async () => {
    const { deps } = samples({ body: 'the report' });
    const found = await lookUpSample(deps, alice, HASH, async () => undefined);
    assert.deepEqual(found, { body: 'the report', quota: daily });
  });

  it('reads a large analysis once memory is available', async () => {
    const steps: unknown[] = [];
    const deps = fakeDependencies({
      samples: {
        lookUp: async () => ({ ...LARGE, large: { key: 7, sizeBytes: 900_000 } }),
        lookUpLarge: async ({ key }) => {
          steps.push(`read ${key}`);
          return { ...LARGE, body: 'the large report' };
        },
      },
    });
    const found = await lookUpSample(deps, alice, HASH, async (bytes) => {
      steps.push(bytes);
    });
    assert.equal(found.body, 'the large report');
    assert.deepEqual(steps, [900_000, 'read 7']);
  });

  it('finds nothing if a large analysis was removed concurrently', async () => {
    const deps = fakeDependencies({
      samples: {
        lookUp: async () => ({ ...LARGE, large: { key: 7, sizeBytes: 900_000 } }),
        lookUpLarge: async () => LARGE,
      },
    });
    const lookUp = lookUpSample(deps, alice, HASH, async () => undefined);
    await assert.rejects(lookUp, { code: 'unknown_sample' });
  });

  it('asks once, for the account, with the hash in lower case', async () => {
    const { deps, asked } = samples({ body: 'the report' });
    await lookUpSample(deps, alice, HASH.toUpperCase(), async () => undefined);
    assert.deepEqual(asked, [
      {
        accountId: 'a1',
        tokenId: alice.tokenId,
        operation: 'lookup',
        hash: { hex: HASH, kinds: ['sha256', 'blake3'] },
        now: new Date('2026-08-26T10:00:00Z'),
        isForDetails: false,
      },
    ]);
  });

  it('takes the unit of a malformed hash as well', async () => {
    const store = samples({});
    const problem = await problemOf(store, 'no hash');
    assert.equal(problem.code, 'invalid_hash');
    assert.equal(problem.details.quota, daily);
    assert.equal(store.asked.length, 1);
    assert.equal(store.asked[0]?.hash, undefined);
  });

  it('states the balance with a miss', async () => {
    const problem = await problemOf(samples({}), HASH);
    assert.equal(problem.code, 'unknown_sample');
    assert.equal(problem.details.quota, daily);
  });

  it('reports a pending analysis, with a time to retry', async () => {
    const problem = await problemOf(samples({ pending: true }), HASH);
    assert.equal(problem.code, 'analysis_pending');
    assert.equal(problem.details.quota, daily);
    assert.equal(problem.details.retryAfterSeconds, 1);
  });

  it('reports an exhausted quota before a malformed hash', async () => {
    for (const text of ['no hash', HASH]) {
      const problem = await problemOf(samples({ served: false }), text);
      assert.equal(problem.code, 'quota_exhausted');
      assert.equal(problem.details.quota, daily);
    }
  });

  it('returns nothing with an exhausted quota, even if the store has a report', async () => {
    const problem = await problemOf(samples({ served: false, body: 'the report' }), HASH);
    assert.equal(problem.code, 'quota_exhausted');
  });

  it('states the time to retry if the quota resets', async () => {
    const problem = await problemOf(samples({ served: false }), HASH);
    assert.equal(problem.details.retryAfterSeconds, 14 * 3600);
  });

  it('rounds the time to retry up to whole seconds, and at least one', async () => {
    const store = samples({ served: false });
    store.deps.clock.set('2026-08-26T23:59:58.001Z');
    assert.equal((await problemOf(store, HASH)).details.retryAfterSeconds, 2);
    store.deps.clock.set('2026-08-27T00:00:00.000Z');
    assert.equal((await problemOf(store, HASH)).details.retryAfterSeconds, 1);
  });

  it('states no time to retry if the quota never resets', async () => {
    const problem = await problemOf(samples({ served: false, quota: prepaid }), HASH);
    assert.equal(problem.details.retryAfterSeconds, undefined);
  });

  it('states no time to retry for a miss or a malformed hash', async () => {
    for (const text of ['no hash', HASH])
      assert.equal((await problemOf(samples({}), text)).details.retryAfterSeconds, undefined);
  });
});
