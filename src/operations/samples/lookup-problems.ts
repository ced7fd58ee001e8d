import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { Problem } from '../../domain/problem.ts';

/** The refusal where fewer units are left than a call needs. Nothing was taken for it. */
export function exhausted(quota: QuotaBalance, now: Date, needed = 1): Problem {
  const left = quota.remaining ?? 0;
  const code = left > 0 ? 'quota_insufficient' : 'quota_exhausted';
  const details = { quota, words: { needed, left } };
  // A quota that never resets has no moment at which trying again would help.
  if (quota.resetsAt === undefined) return new Problem(code, details);
  const retryAfterSeconds = Math.max(
    1,
    Math.ceil((quota.resetsAt.getTime() - now.getTime()) / 1000),
  );
  return new Problem(code, { ...details, retryAfterSeconds });
}

interface Found {
  readonly quota: QuotaBalance;
  readonly pending: boolean;
}

/** The refusal where a unit was taken and there is no report. */
export function missing({ quota, pending }: Found): Problem {
  return pending
    ? new Problem('analysis_pending', { quota, retryAfterSeconds: 1 })
    : new Problem('unknown_sample', { quota });
}
