import type { Caller } from '../domain/caller.ts';
import { parseFileHash } from '../domain/file-hash.ts';
import { Problem } from '../domain/problem.ts';
import type { QuotaBalance } from '../domain/quota.ts';
import type { Dependencies } from './dependencies.ts';

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
  const { served, quota, body } = await deps.store.samples.lookUp({
    accountId: caller.accountId,
    hash,
    now,
  });
  if (!served) throw exhausted(quota, now);
  if (hash === undefined) throw new Problem('invalid_hash', { quota });
  if (body === undefined) throw new Problem('unknown_sample', { quota });
  return { body, quota };
}

/** A quota that never resets has no moment at which trying again would help. */
function exhausted(quota: QuotaBalance, now: Date): Problem {
  if (quota.resetsAt === undefined) return new Problem('quota_exhausted', { quota });
  const retryAfterSeconds = Math.max(
    1,
    Math.ceil((quota.resetsAt.getTime() - now.getTime()) / 1000),
  );
  return new Problem('quota_exhausted', { quota, retryAfterSeconds });
}
