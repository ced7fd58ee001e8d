import type { FileEvidence } from '../../../domain/reports/confirmation.ts';
import { withEvidence, withRoute } from '../../../domain/reports/reevaluation.ts';
import { isMisrouted, type Report } from '../../../domain/reports/report.ts';
import type { Route } from '../../../domain/services/route.ts';
import type { Serializers } from '../../../ports/store.ts';
import { type FeedPosition, SequenceAllocator } from '../../tables/feeds/sequences.ts';
import { updateReport } from '../../tables/reports/report-changes.ts';
import { fromRow, type ReadRow } from '../../tables/reports/report-rows.ts';
import { deleteUnusedNames, SearchTerms } from '../../tables/search/search-terms.ts';
import type { StatisticCounts } from '../../tables/statistics/counters.ts';
import { countedReports } from '../../tables/statistics/fill-statistics.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';
import { appendEvents } from './append-events.ts';

/** Changes of stored reports that follow from analyses and from the declared hosts of services. */

export interface ReportUpdate {
  readonly number: number;
  readonly before: Report;
  readonly after: Report;
}

interface WrittenUpdate extends ReportUpdate {
  readonly position: FeedPosition;
}

export interface UpdateContext {
  readonly at: Date;
  readonly serializers: Serializers;
  /** What the updates change in the counters. The caller writes it as the last step of the unit. */
  readonly counts: StatisticCounts;
}

/** The update of a report to the evidence; `undefined` if nothing changes. */
export function updateOf(
  row: ReadRow,
  evidence: FileEvidence | undefined,
  at: Date,
): ReportUpdate | undefined {
  const before = fromRow(row);
  const after = withEvidence(before, evidence, at);
  return after && { number: row.number, before, after };
}

/** Like `updateOf`, with the route. */
export function routedUpdateOf(
  row: ReadRow,
  evidence: FileEvidence | undefined,
  route: Route | undefined,
  at: Date,
): ReportUpdate | undefined {
  const before = fromRow(row);
  const evaluated = withEvidence(before, evidence, at);
  const after = withRoute(evaluated ?? before, route?.service, at) ?? evaluated;
  return after && { number: row.number, before, after };
}

/** Each update is a change of its feed, with its own sequence. The caller has locked the feeds. */
export function* writeUpdates(
  updates: readonly ReportUpdate[],
  { at, serializers, counts }: UpdateContext,
): UnitOfWork<void> {
  if (updates.length === 0) return;
  const written = yield* withPositions(updates, at);
  yield* each(
    updateReport,
    written.map(({ after, position }) => ({
      id: after.id,
      name: after.name,
      confirmation: after.confirmation,
      routed_to: after.routedTo ?? null,
      sequence: after.sequence,
      added_at: position.addedAt,
      updated_at: at.toISOString(),
      body: serializers.report(after),
    })),
  );
  yield* indexNames(written.filter(({ before, after }) => before.name !== after.name));
  const event = { type: 'updated', at: at.toISOString() } as const;
  yield* appendEvents(
    written.map(({ position, after }) => ({ position, event: { ...event, reportId: after.id } })),
  );
  const isCounted = yield* countedReports();
  for (const update of written) if (isCounted(update.number)) countUpdate(update, counts);
}

function countUpdate(
  { before, after, position: { serviceId } }: WrittenUpdate,
  counts: StatisticCounts,
): void {
  counts.rename(serviceId, before.name, after.name);
  counts.changeConfirmation(serviceId, after.reporterId, before.confirmation, after.confirmation);
  counts.changeMisrouted(serviceId, isMisrouted(before), isMisrouted(after));
}

function* withPositions(
  updates: readonly ReportUpdate[],
  at: Date,
): UnitOfWork<readonly WrittenUpdate[]> {
  const sequences = new SequenceAllocator(
    updates.map(({ after }) => after),
    at,
  );
  yield* sequences.reserve();
  const written: WrittenUpdate[] = [];
  for (const { number, before, after } of updates) {
    const position = yield* sequences.take(after.service);
    if (position === undefined) throw new Error(`no such feed: ${after.service}`);
    written.push({ number, before, after: { ...after, sequence: position.sequence }, position });
  }
  return written;
}

/** The names by which a search finds the reports. */
function* indexNames(renamed: readonly WrittenUpdate[]): UnitOfWork<void> {
  yield* new SearchTerms().addAll(
    renamed.map(({ after, position: { serviceId } }) => ({
      serviceId,
      report: { ...after, host: after.c2.host },
      isNewHost: false,
    })),
  );
  yield* deleteUnusedNames(
    renamed.map(({ before: { name }, position: { serviceId } }) => ({ serviceId, name })),
  );
}
