import { type Judgement, judgementOf } from '../trust/judgement.ts';
import { outcomeOf } from '../trust/outcome.ts';
import {
  expiryAfter,
  isAcknowledgement,
  isAnswer,
  isUnresolved,
  type ReportStatus,
  type StatusChange,
} from './desk.ts';
import type { Report } from './report.ts';
import { type Answer, answerOf } from './statistics.ts';

/** The part of a report that a change of its status may change, and when it was reported. */
export interface DeskReport
  extends Pick<
    Report,
    'status' | 'statusReason' | 'statusNote' | 'reportedAt' | 'expiresAt' | 'routedTo'
  > {
  /** What others than the reporter have found out. */
  readonly judgement: Judgement | undefined;
  /** The first final answer of others, as far as it was recorded. */
  readonly acted: Answer | undefined;
  /** The first answer of others, of any kind. */
  readonly acknowledged: Answer | undefined;
}

export interface StatusFacts {
  readonly at: Date;
  /** Whether the reporter owns the feed, so that the answer is no judgement by others. */
  readonly isSelf: boolean;
  /** The service that answers for the host now. Needed for a report that is reopened. */
  readonly route: string | undefined;
  readonly expireAfterDays: number;
  /** Whether the statistics have the report. Otherwise its answers are recorded with it later. */
  readonly isCounted: boolean;
}

export interface StatusDecision {
  readonly after: DeskReport;
  /** Whether only the reason or the note changes. */
  readonly isRepeat: boolean;
}

/** What becomes of a report whose status the desk sets; `undefined` if nothing changes. */
export function decideStatus(
  report: DeskReport,
  { status, reason, note }: StatusChange,
  facts: StatusFacts,
): StatusDecision | undefined {
  const isRepeat = report.status === status;
  if (isRepeat && report.statusReason === reason && report.statusNote === note) return undefined;
  const after = {
    ...report,
    status,
    statusReason: reason,
    statusNote: note,
    // In a feed that the reporter owns, whoever answers judges nothing: what others said stays.
    judgement: facts.isSelf ? report.judgement : judgementOf(outcomeOf(status, reason)),
    ...(isReopened(report.status, status) && reopened(facts)),
    ...(!facts.isSelf && facts.isCounted && answersAfter(report, status, facts)),
  };
  return { after, isRepeat };
}

export function isReopened(before: ReportStatus, after: ReportStatus): boolean {
  return !isUnresolved(before) && isUnresolved(after);
}

/**
 * The route of a report with a final status stays as it was, and its expiry may have passed: it
 * gets the current route and a full period.
 */
function reopened({ at, route, expireAfterDays }: StatusFacts) {
  return { routedTo: route, expiresAt: expiryAfter(at, expireAfterDays) };
}

function answersAfter(report: DeskReport, status: ReportStatus, { at }: StatusFacts) {
  const answer = answerOf(report.reportedAt, at);
  const first = (known: Answer | undefined, isMeant: (status: ReportStatus) => boolean) =>
    // An answer that is older than the record of answers is known by the status alone.
    known ?? (isMeant(status) && !isMeant(report.status) ? answer : undefined);
  return {
    acted: first(report.acted, isAnswer),
    acknowledged: first(report.acknowledged, isAcknowledgement),
  };
}
