import type { ReportStatus } from '../../../../domain/reports/desk.ts';
import { type Judgement, judgementOf } from '../../../../domain/trust/judgement.ts';
import { outcomeOf } from '../../../../domain/trust/outcome.ts';
import { FeedOwners } from '../../../tables/statistics/judgements.ts';
import type { UnitOfWork } from '../../../units/unit-of-work.ts';

interface JudgedReport {
  readonly reporter_id: string;
  readonly judgement: Judgement | null;
}

export type WithJudgement<Report extends JudgedReport> = Report & {
  /** Whether the reporter owns the feed. */
  readonly isSelf: boolean;
  readonly newJudgement: Judgement | null;
};

/**
 * The reports with their judgements after a change of the status. In a feed that the reporter owns,
 * whoever answers judges nothing: what others said before stays.
 */
export function* withJudgements<Report extends JudgedReport>(
  reports: readonly Report[],
  { status, reason }: { readonly status: ReportStatus; readonly reason: string | undefined },
  serviceId: number,
): UnitOfWork<readonly WithJudgement<Report>[]> {
  const keyOf = ({ reporter_id }: Report) => ({ reporter_id, service_id: serviceId });
  const owners = yield* FeedOwners.among(reports.map(keyOf));
  const judgement = judgementOf(outcomeOf(status, reason)) ?? null;
  return reports.map((report) => {
    const isSelf = owners.ownsFeed(keyOf(report));
    return { ...report, isSelf, newJudgement: isSelf ? report.judgement : judgement };
  });
}
