import type { Caller } from '../domain/caller.ts';
import { parseFileHash } from '../domain/file-hash.ts';
import { Problem } from '../domain/problem.ts';
import type { QuotaBalance } from '../domain/quota.ts';
import type { Dependencies } from './dependencies.ts';
import { exhausted, missing } from './take-units.ts';

export interface FoundSample {
  readonly body: string;
  readonly quota: QuotaBalance;
}

/** Takes one unit, then looks: a miss and a malformed hash cost as much as a hit, and nothing left comes first. */
export async function lookUpSample(
  deps: Dependencies,
  caller: Caller,
  text: string,
): Promise<FoundSample> {
  const hash = parseFileHash(text);
  const now = deps.now();
  const answer = await deps.store.samples.lookUp({ accountId: caller.accountId, hash, now });
  const { served, quota, body } = answer;
  if (!served) throw exhausted(quota, now);
  if (hash === undefined) throw new Problem('invalid_hash', { quota });
  if (body === undefined) throw missing(answer);
  return { body, quota };
}
