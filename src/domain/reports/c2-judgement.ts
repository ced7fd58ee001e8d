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

/** Whether readers must learn that the rejection of the C2 of a report begins or ends. */
export function followsJudgement(report: JudgedStatus): boolean {
  // A false positive has ended by itself, and an expired report has no indicators.
  return report.status !== 'expired' && !isFalsePositive(report);
}
