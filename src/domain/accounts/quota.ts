/**
 * The lookup quota of an account: so many units a UTC day or month, or a prepaid number that never
 * resets. Units that an operator tops up are spent last and never expire.
 */
export type QuotaPeriod = 'day' | 'month' | 'none';

export const QUOTA_PERIODS: readonly QuotaPeriod[] = ['day', 'month', 'none'];

export interface QuotaPolicy {
  /** `null` is unlimited: calls are still counted. */
  readonly limit: number | null;
  readonly period: QuotaPeriod;
}

export const DEFAULT_QUOTA: QuotaPolicy = { limit: 1000, period: 'day' };

export interface QuotaUse extends QuotaPolicy {
  /** Units taken in the window named by `window`; in a later one none have been. */
  readonly used: number;
  readonly window: string;
  readonly extra: number;
}

/** What a caller is told: `remaining` is `null` where there is no limit. */
export interface QuotaBalance extends QuotaPolicy {
  readonly remaining: number | null;
  readonly resetsAt: Date | undefined;
}

/** The name of the window that `now` falls into; a new name means that nothing was used yet. */
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

/** The name of the window after the one that `now` falls into. */
export function nextQuotaWindow(period: QuotaPeriod, now: Date): string {
  return quotaWindow(period, quotaResetsAt(period, now) ?? now);
}

/** The length of the window in seconds, as rate-limit headers state it. */
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
