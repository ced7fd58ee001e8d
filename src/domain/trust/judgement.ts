import type { ReportStatus } from '../reports/desk.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

/** What a desk found out about a report. */
export type Judgement = 'right' | 'wrong';

/**
 * Right: the desk acted. Wrong: it rejected the report as not its own, false, or without evidence.
 * A duplicate and a rejection without a reason say nothing about the report.
 */
export function judgementOf(outcome: Outcome): Judgement | undefined {
  if (outcome === 'actioned') return 'right';
  return outcome === 'not_ours' ||
    outcome === 'false_positive' ||
    outcome === 'insufficient_evidence'
    ? 'wrong'
    : undefined;
}

/** A status that was set. */
export interface SetStatus {
  readonly status: ReportStatus;
  readonly reason: string | null;
  /** The name of the account; `null` if it is not known, or if the report expired. */
  readonly by: string | null;
  /** Whether the reporter owned the feed then; `null` if that was not recorded. */
  readonly isSelf: boolean | null;
}

/**
 * Whether the answer is that of a desk the reporter has no part in. Of a status that is older than
 * this record, the present owners of the feed decide.
 */
export function isByOthers(
  { by, isSelf }: Pick<SetStatus, 'by' | 'isSelf'>,
  reporter: { readonly name: string; readonly ownsFeed: boolean },
): boolean {
  return !(isSelf ?? (reporter.ownsFeed || by === reporter.name));
}

/** What the last of these answers says, oldest first. An expiry is no answer. */
export function lastJudgement(answers: readonly SetStatus[]): Judgement | undefined {
  const last = answers.findLast(({ status }) => status !== 'expired');
  return last && judgementOf(outcomeOf(last.status, last.reason));
}
