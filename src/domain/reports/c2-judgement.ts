import { isFalsePositive, type ReportStatus } from './desk.ts';

/** The status of a report and its reason. */
export interface JudgedStatus {
  readonly status: ReportStatus;
  readonly statusReason: string | null | undefined;
}

/**
 * How many reports of a C2 the desk has rejected as false positives and not taken back, after it
 * has changed one. The C2 is rejected as long as the number is not 0.
 *
 * Any other status than `rejected` means that the desk believes the C2, whatever it said before.
 * Another reason takes back the rejection of this report alone: a duplicate of a false positive is
 * no statement about the C2.
 */
export function judgeC2(rejections: number, before: JudgedStatus, after: JudgedStatus): number {
  const wasFalse = isFalsePositive(before);
  if (isFalsePositive(after)) return wasFalse ? Math.max(1, rejections) : rejections + 1;
  if (after.status !== 'rejected') return 0;
  return wasFalse ? Math.max(0, rejections - 1) : rejections;
}

/** The rejection of a C2 by the desk of a feed. */
export interface C2Rejection {
  /** The false positives that were not taken back; 0: the C2 is no longer rejected. */
  readonly reports: number;
  /** The change by which it began. */
  readonly sequence: number;
}

export interface C2RejectionChange extends C2Rejection {
  /** Whether it begins or ends, which changes all reports of the C2. */
  readonly isTurned: boolean;
}

/** A change of the status of one report. */
export interface JudgedChange {
  readonly before: JudgedStatus;
  readonly after: JudgedStatus;
  readonly sequence: number;
}

/** What becomes of a rejection by these changes, in order; `undefined` if it stays. */
export function changeRejection(
  rejection: C2Rejection | undefined,
  changes: readonly JudgedChange[],
): C2RejectionChange | undefined {
  const known = rejection ?? { reports: 0, sequence: 0 };
  let { reports, sequence } = known;
  for (const { before, after, sequence: changedAt } of changes) {
    const next = judgeC2(reports, before, after);
    if (reports === 0 && next > 0) sequence = changedAt;
    reports = next;
  }
  if (reports === known.reports) return undefined;
  return { reports, sequence, isTurned: known.reports > 0 !== reports > 0 };
}

/** Whether readers must learn that the rejection of the C2 of a report begins or ends. */
export function followsJudgement(report: JudgedStatus): boolean {
  // A false positive has ended by itself, and an expired report has no indicators.
  return report.status !== 'expired' && !isFalsePositive(report);
}
