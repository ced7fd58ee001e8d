import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { Problem } from '../../domain/problem.ts';

/** The problem of a call that needs more quota units than are left. None was spent. */
export function quotaExhausted(quota: QuotaBalance, now: Date, needed = 1): Problem {
  const left = quota.remaining ?? 0;
  const code = left > 0 ? 'quota_insufficient' : 'quota_exhausted';
  const details = { quota, parameters: { needed, left } };
  // If the quota never resets, a retry does not help.
  if (quota.resetsAt === undefined) return new Problem(code, details);
  const retryAfterSeconds = Math.max(
    1,
    Math.ceil((quota.resetsAt.getTime() - now.getTime()) / 1000),
  );
  return new Problem(code, { ...details, retryAfterSeconds });
}

interface LookupResult {
  readonly quota: QuotaBalance;
  readonly pending: boolean;
}

/** The problem of a lookup that spent its unit and found no report. */
export function analysisMissing({ quota, pending }: LookupResult): Problem {
  return pending
    ? new Problem('analysis_pending', { quota, retryAfterSeconds: 1 })
    : new Problem('unknown_sample', { quota });
}
