import type { Confirmation } from '../reports/confirmation.ts';
import { DESK_REASONS, type ReportStatus } from '../reports/desk.ts';

export const REJECTION_REASONS = DESK_REASONS.rejected;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** A reason is optional: `unspecified` is a rejection without one. */
export type Rejection = RejectionReason | 'unspecified';

/** What became of a report: its status, or the reason of its rejection. */
export type Outcome = Exclude<ReportStatus, 'rejected'> | Rejection;

export const OUTCOMES = [
  'open',
  'acknowledged',
  'actioned',
  'expired',
  ...REJECTION_REASONS,
  'unspecified',
] as const satisfies readonly Outcome[];

export function outcomeOf(status: ReportStatus, reason: string | null | undefined): Outcome {
  if (status !== 'rejected') return status;
  return REJECTION_REASONS.find((known) => known === reason) ?? 'unspecified';
}

/** The judgements by others, of reports that exist or were deleted. */
export type JudgementCount = 'judged_right' | 'judged_wrong';

/** The existing reports of one reporter, in one feed or in several, and what others judged. */
export type ReporterCounts = Record<
  Outcome | Exclude<Confirmation, 'unknown'> | JudgementCount,
  number
>;

export function noReporterCounts(): ReporterCounts {
  return {
    open: 0,
    acknowledged: 0,
    actioned: 0,
    expired: 0,
    not_ours: 0,
    false_positive: 0,
    duplicate: 0,
    insufficient_evidence: 0,
    unspecified: 0,
    confirmed: 0,
    contradicted: 0,
    judged_right: 0,
    judged_wrong: 0,
  };
}

/** Every report has one outcome. */
export function reportsOf(counts: Readonly<ReporterCounts>): number {
  return OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
}

export function sumCounts(list: readonly Readonly<ReporterCounts>[]): ReporterCounts {
  const sums = noReporterCounts();
  for (const counts of list)
    for (const column of Object.keys(sums) as (keyof ReporterCounts)[])
      sums[column] += counts[column];
  return sums;
}
