import { type Caller, tokenOf } from '../../domain/accounts/caller.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { Problem } from '../../domain/problem.ts';
import { type FileHash, parseFileHash } from '../../domain/samples/file-hash.ts';
import type { SimilarAnswer, SimilarSample } from '../../ports/sample-store.ts';
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
): Promise<FoundSimilar> {
  const hash = parseFileHash(text);
  const answer = await querySimilar(deps, caller, hash);
  const { quota, found } = answer;
  if (hash === undefined) throw new Problem('invalid_hash', { quota });
  if (found === undefined) throw analysisMissing(answer);
  return { similar: found, quota };
}

/** Finds files similar to the one with that fuzzy hash, which need not be stored. */
export async function findSimilarToSsdeep(
  deps: Dependencies,
  caller: Caller,
  ssdeep: string | undefined,
): Promise<FoundSimilar> {
  const { quota, found } = await querySimilar(deps, caller, ssdeep);
  if (found === undefined) throw new Problem('invalid_ssdeep', { quota });
  return { similar: found, quota };
}

async function querySimilar(
  deps: Dependencies,
  caller: Caller,
  to: FileHash | string | undefined,
): Promise<SimilarAnswer> {
  const now = deps.now();
  const answer = await deps.store.samples.similar({
    accountId: caller.accountId,
    tokenId: tokenOf(caller),
    now,
    to,
    limit: MAX_SIMILAR,
  });
  if (!answer.served) throw quotaExhausted(answer.quota, now);
  return answer;
}
