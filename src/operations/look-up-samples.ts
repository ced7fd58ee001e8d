import type { Caller } from '../domain/caller.ts';
import { parseFileHash } from '../domain/file-hash.ts';
import type { QuotaBalance } from '../domain/quota.ts';
import type { LargeReport } from '../ports/sample-store.ts';
import type { Dependencies } from './dependencies.ts';
import { exhausted } from './take-units.ts';

export interface FoundSamples {
  readonly results: readonly FoundOne[];
  readonly quota: QuotaBalance;
}

export interface FoundOne {
  /** As the caller wrote it. */
  readonly text: string;
  readonly isHash: boolean;
  readonly body: string | undefined;
  /** A report that is read when its turn in the answer has come. */
  readonly large: LargeReport | undefined;
}

/** Many lookups in one call, each for one unit; where there are too few for all, none is taken. */
export async function lookUpSamples(
  deps: Dependencies,
  caller: Caller,
  texts: readonly string[],
): Promise<FoundSamples> {
  const hashes = texts.map(parseFileHash);
  const now = deps.now();
  const { served, quota, bodies, large } = await deps.store.samples.lookUpMany({
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
  return { results, quota };
}
