import { isMisrouted } from '../../../domain/reports/report.ts';
import type { Judgement } from '../../../domain/trust/judgement.ts';
import type { ReportRow } from '../../schema/tables.ts';
import { countStatusChanges } from '../../tables/reports/status-changes.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { countedReports } from '../../tables/statistics/fill-statistics.ts';
import { judgementOfUncounted } from '../../tables/statistics/judgements.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';

/** What is read of a report that is deleted. */
export type DeletedReport = Pick<
  ReportRow,
  | 'number'
  | 'service_id'
  | 'created_sequence'
  | 'day_part'
  | 'name'
  | 'tags'
  | 'host'
  | 'port'
  | 'sha256'
  | 'reporter_id'
  | 'reported_by'
  | 'reported_at'
  | 'status'
  | 'status_reason'
  | 'status_by'
  | 'judgement'
  | 'confirmation'
  | 'routed_to'
  | 'recurrence'
  | 'acted_at'
  | 'acted_bucket'
  | 'acknowledged_at'
  | 'acknowledged_bucket'
>;

interface Uncounted {
  readonly counts: StatisticCounts;
  readonly judgement: Judgement | undefined;
}

/** Subtracts the report from everything that it was counted in. Its judgement is to be kept. */
export function* uncountReport(service: string, deleted: DeletedReport): UnitOfWork<Uncounted> {
  const { number, service_id, acted_at, acted_bucket } = deleted;
  const { acknowledged_at, acknowledged_bucket } = deleted;
  const counts = new StatisticCounts();
  const isCounted = yield* countedReports();
  if (!isCounted(number)) return { counts, judgement: yield* judgementOfUncounted(deleted) };
  const routedTo = deleted.routed_to ?? undefined;
  counts.addReport(service_id, deleted, {
    isMisrouted: isMisrouted({ service, routedTo }),
    by: -1,
  });
  for (const { status, day, changes } of yield* countStatusChanges(number))
    counts.addStatusSet(service_id, status, day, -changes);
  if (acted_at !== null && acted_bucket !== null)
    counts.addAnswer(service_id, { at: new Date(acted_at), bucket: acted_bucket }, -1);
  if (acknowledged_at !== null && acknowledged_bucket !== null)
    counts.addAcknowledgement(
      service_id,
      { at: new Date(acknowledged_at), bucket: acknowledged_bucket },
      -1,
    );
  return { counts, judgement: deleted.judgement ?? undefined };
}
