import type { Caller } from '../domain/caller.ts';
import { parseFileHash } from '../domain/file-hash.ts';
import type { QuotaBalance } from '../domain/quota.ts';
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
}

/** Many lookups in one call, each for one unit; where there are too few for all, none is taken. */
export async function lookUpSamples(
  deps: Dependencies,
  caller: Caller,
  texts: readonly string[],
): Promise<FoundSamples> {
  const hashes = texts.map(parseFileHash);
  const now = deps.now();
  const { served, quota, bodies } = await deps.store.samples.lookUpMany({
    accountId: caller.accountId,
    hashes,
    now,
  });
  if (!served) throw exhausted(quota, now, texts.length);
  const results = texts.map((text, place) => ({
    text,
    isHash: hashes[place] !== undefined,
    body: bodies[place],
  }));
  return { results, quota };
}
