import { type Caller, tokenOf } from '../../domain/accounts/caller.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { LargeAnalysis } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { quotaExhausted } from './lookup-problems.ts';

export interface FoundSamples {
  readonly results: readonly FoundOne[];
  readonly quota: QuotaBalance;
  /** Reads a large report when the answer reaches it. If that fails, the batch is refunded. */
  readLarge(key: LargeAnalysis['key']): Promise<string | undefined>;
}

export interface FoundOne {
  /** As the caller sent it. */
  readonly text: string;
  readonly isHash: boolean;
  readonly body: string | undefined;
  /** A report that is read when the answer reaches it. */
  readonly large: LargeAnalysis | undefined;
}

/** Looks up many hashes, for one quota unit each. With too few units left, none is spent. */
export async function lookUpSamples(
  deps: Dependencies,
  caller: Caller,
  texts: readonly string[],
): Promise<FoundSamples> {
  const hashes = texts.map(parseFileHash);
  const now = deps.now();
  const { served, quota, bodies, large, charge } = await deps.store.samples.lookUpMany({
    accountId: caller.accountId,
    tokenId: tokenOf(caller),
    hashes,
    now,
  });
  if (!served) throw quotaExhausted(quota, now, texts.length);
  const results = texts.map((text, index) => ({
    text,
    isHash: hashes[index] !== undefined,
    body: bodies[index],
    large: large[index],
  }));
  const readLarge = async (key: LargeAnalysis['key']) => {
    try {
      return await deps.store.samples.body(key);
    } catch (cause) {
      if (charge !== undefined) await deps.store.samples.refund(charge);
      throw cause;
    }
  };
  return { results, quota, readLarge };
}
