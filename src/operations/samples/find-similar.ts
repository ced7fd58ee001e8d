import type { Caller } from '../../domain/accounts/caller.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { Problem } from '../../domain/problem.ts';
import { type FileHash, parseFileHash } from '../../domain/samples/file-hash.ts';
import type { SimilarAnswer, SimilarSample } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { exhausted, missing } from './take-units.ts';

const MOST = 50;

export interface FoundSimilar {
  readonly similar: readonly SimilarSample[];
  readonly quota: QuotaBalance;
}

/** Files that are like the one with that hash. Takes one unit, as a lookup does. */
export async function findSimilar(
  deps: Dependencies,
  caller: Caller,
  text: string,
): Promise<FoundSimilar> {
  const hash = parseFileHash(text);
  const answer = await ask(deps, caller, hash);
  const { quota, found } = answer;
  if (hash === undefined) throw new Problem('invalid_hash', { quota });
  if (found === undefined) throw missing(answer);
  return { similar: found, quota };
}

/** Files that are like the one whose fuzzy hash it is, which need not be known. */
export async function findSimilarToSsdeep(
  deps: Dependencies,
  caller: Caller,
  ssdeep: string | undefined,
): Promise<FoundSimilar> {
  const { quota, found } = await ask(deps, caller, ssdeep);
  if (found === undefined) throw new Problem('invalid_ssdeep', { quota });
  return { similar: found, quota };
}

async function ask(
  deps: Dependencies,
  { accountId }: Caller,
  to: FileHash | string | undefined,
): Promise<SimilarAnswer> {
  const now = deps.now();
  const answer = await deps.store.samples.similar({ accountId, now, to, limit: MOST });
  if (!answer.served) throw exhausted(answer.quota, now);
  return answer;
}
