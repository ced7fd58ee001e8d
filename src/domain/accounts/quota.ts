/**
 * The lookup quota of an account: a number of units per UTC day or month, or a prepaid number that
 * never resets. Units that an operator adds are spent last and never expire.
 */
export type QuotaPeriod = 'day' | 'month' | 'none';

export const QUOTA_PERIODS: readonly QuotaPeriod[] = ['day', 'month', 'none'];

export interface QuotaPolicy {
  /** `null` for no limit; calls are still counted. */
  readonly limit: number | null;
  readonly period: QuotaPeriod;
}

export const DEFAULT_QUOTA: QuotaPolicy = { limit: 1000, period: 'day' };

export interface QuotaUse extends QuotaPolicy {
  /** Units spent in `window`. A later window starts at 0. */
  readonly used: number;
  readonly window: string;
  readonly extra: number;
}

/** The balance that a caller sees. `remaining` is `null` without a limit. */
export interface QuotaBalance extends QuotaPolicy {
  readonly remaining: number | null;
  readonly resetsAt: Date | undefined;
}

/** The name of the window of `now`: `2026-01-31`, `2026-01`, or empty. */
export function quotaWindow(period: QuotaPeriod, now: Date): string {
  if (period === 'none') return '';
  return now.toISOString().slice(0, period === 'day' ? 10 : 7);
}

export function quotaResetsAt(period: QuotaPeriod, now: Date): Date | undefined {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (period === 'day') return new Date(Date.UTC(year, month, day + 1));
  if (period === 'month') return new Date(Date.UTC(year, month + 1, 1));
  return undefined;
}

/** The name of the window after that of `now`. */
export function nextQuotaWindow(period: QuotaPeriod, now: Date): string {
  return quotaWindow(period, quotaResetsAt(period, now) ?? now);
}

/** The length of the window in seconds, for the rate-limit headers. */
export function quotaWindowSeconds(period: QuotaPeriod, now: Date): number | undefined {
  if (period === 'day') return 86_400;
  const end = quotaResetsAt(period, now);
  if (end === undefined) return undefined;
  return (end.getTime() - Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)) / 1000;
}

export function quotaBalance(use: QuotaUse, now: Date): QuotaBalance {
  const used = use.window >= quotaWindow(use.period, now) ? use.used : 0;
  return {
    limit: use.limit,
    period: use.period,
    remaining: use.limit === null ? null : Math.max(use.limit - used, 0) + use.extra,
    resetsAt: quotaResetsAt(use.period, now),
  };
}
