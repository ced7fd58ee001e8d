import type { Caller } from '../../domain/accounts/caller.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { LargeAnalysis } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { exhausted } from './take-units.ts';

export interface FoundSamples {
  readonly results: readonly FoundOne[];
  readonly quota: QuotaBalance;
  /** Reads a large report when its turn in the answer has come. Where that fails, the batch costs nothing. */
  readLarge(key: LargeAnalysis['key']): Promise<string | undefined>;
}

export interface FoundOne {
  /** As the caller wrote it. */
  readonly text: string;
  readonly isHash: boolean;
  readonly body: string | undefined;
  /** A report that is read when its turn in the answer has come. */
  readonly large: LargeAnalysis | undefined;
}

/** Many lookups in one call, each for one unit; where there are too few for all, none is taken. */
export async function lookUpSamples(
  deps: Dependencies,
  caller: Caller,
  texts: readonly string[],
): Promise<FoundSamples> {
  const hashes = texts.map(parseFileHash);
  const now = deps.now();
  const { served, quota, bodies, large, charge } = await deps.store.samples.lookUpMany({
    accountId: caller.accountId,
    hashes,
    now,
  });
  if (!served) throw exhausted(quota, now, texts.length);
  const results = texts.map((text, place) => ({
    text,
    isHash: hashes[place] !== undefined,
    body: bodies[place],
    large: large[place],
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
