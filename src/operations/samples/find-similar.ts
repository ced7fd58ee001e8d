import { type Caller, tokenOf } from '../../domain/accounts/caller.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { Problem } from '../../domain/problem.ts';
import { type FileHash, parseFileHash } from '../../domain/samples/file-hash.ts';
import type { SimilarAnswer, SimilarityMeasure, SimilarSample } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { analysisMissing, quotaExhausted } from './lookup-problems.ts';

const MAX_SIMILAR = 50;

export interface FoundSimilar {
  readonly similar: readonly SimilarSample[];
  readonly quota: QuotaBalance;
}

/** Finds files similar to the one with that hash. It spends one quota unit, as a lookup does. */
export async function findSimilar(
  deps: Dependencies,
  caller: Caller,
  text: string,
  by: SimilarityMeasure = 'ssdeep',
): Promise<FoundSimilar> {
  const hash = parseFileHash(text);
  const answer = await querySimilar(deps, caller, hash, by);
  const { quota, found } = answer;
  if (hash === undefined) throw new Problem('invalid_hash', { quota });
  if (answer.lacksTlsh === true) throw new Problem('no_tlsh', { quota });
  if (found === undefined) throw analysisMissing(answer);
  return { similar: found, quota };
}

/** The digest of a file, which need not be stored. `undefined` if the caller sent none. */
export interface DigestQuery {
  readonly by: SimilarityMeasure;
  readonly digest: string | undefined;
}

/** Finds files similar to the one with that digest. */
export async function findSimilarToDigest(
  deps: Dependencies,
  caller: Caller,
  { by, digest }: DigestQuery,
): Promise<FoundSimilar> {
  const { quota, found } = await querySimilar(deps, caller, digest, by);
  if (found === undefined) throw new Problem(`invalid_${by}`, { quota });
  return { similar: found, quota };
}

async function querySimilar(
  deps: Dependencies,
  caller: Caller,
  to: FileHash | string | undefined,
  by: SimilarityMeasure,
): Promise<SimilarAnswer> {
  const now = deps.now();
  const answer = await deps.store.samples.similar({
    accountId: caller.accountId,
    tokenId: tokenOf(caller),
    now,
    by,
    to,
    limit: MAX_SIMILAR,
  });
  if (!answer.served) throw quotaExhausted(answer.quota, now);
  return answer;
}
