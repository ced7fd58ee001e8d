import type {
  DeskReport,
  StatusDecision,
  StatusFacts,
} from '../../../domain/reports/decide-status.ts';
import type { Answer } from '../../../domain/reports/statistics.ts';
import type { StatusTarget } from '../../../ports/feed-store.ts';
import type { ReportRow } from '../../schema/tables.ts';
import { numberRows, toJsonArray } from '../../units/json-arrays.ts';
import { all, query } from '../../units/query.ts';
import { unindexedNumber } from '../../units/unindexed-columns.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { CURRENT_C2_COUNTS } from './c2-history.ts';
import { listNumbers } from './listing/list-reports.ts';
import { addStatusChanges } from './status-changes.ts';

/** What the abuse desk of a feed reads and writes when it sets the status of reports. */

const READ = [
  'number',
  'id',
  'status',
  'status_reason',
  'status_note',
  'expires_at',
  'reported_at',
  'reporter_id',
  'host',
  'port',
  'routed_to',
  'acted_at',
  'acted_bucket',
  'acknowledged_at',
  'acknowledged_bucket',
  'judgement',
] as const satisfies readonly (keyof ReportRow)[];

const COLUMNS = READ.map((column) => `report.${column}` as const);

/** One id per statement: for a join with a list of ids, a planner may read the whole feed. */
const selectById = query<{ serviceId: number; id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(COLUMNS)
    .where('report.id', '=', parameter.id)
    .where(unindexedNumber('report.service_id'), '=', parameter.serviceId),
);

const selectByNumbers = query<{ numbers: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(numberRows(parameter.numbers, dialect).as('wanted'))
    .crossJoin('report')
    .select(COLUMNS)
    .whereRef('report.number', '=', 'wanted.value'),
);

const SET = [
  'status',
  'status_reason',
  'status_note',
  'status_by',
  'expires_at',
  'updated_at',
  'routed_to',
  'acted_at',
  'acted_bucket',
  'acknowledged_at',
  'acknowledged_bucket',
  'judgement',
  'sequence',
  'added_at',
] as const satisfies readonly (keyof ReportRow)[];

const setReport = query<Pick<ReportRow, 'id' | (typeof SET)[number]> & { serviceId: number }>()(
  (db, parameter) =>
    db
      .updateTable('report')
      .set({ ...all(parameter, SET), ...CURRENT_C2_COUNTS })
      .where('id', '=', parameter.id)
      // Restricts the update to the feed whose ownership was checked.
      .where(unindexedNumber('service_id'), '=', parameter.serviceId),
);

export interface FoundReport {
  readonly id: string;
  readonly number: number;
  readonly host: string;
  readonly port: number;
  readonly reporterId: string;
  readonly before: DeskReport;
}

interface Targets {
  readonly found: readonly FoundReport[];
  readonly absent: readonly string[];
  readonly next: string | undefined;
}

/** The reports of the ids, or the next ones that match the filter. */
export function* findTargets(target: StatusTarget, serviceId: number): UnitOfWork<Targets> {
  const { service: scope, ids, filter = {}, after, limit } = target;
  if (ids === undefined) {
    const page = yield* listNumbers({ scope, filter, order: 'asc', after, limit });
    const found = yield* rows(selectByNumbers, { numbers: toJsonArray(page.numbers) });
    return { found: found.map(fromRow), absent: [], next: page.next };
  }
  const wanted = [...new Set(ids)];
  const found = (yield* each(
    selectById,
    wanted.map((id) => ({ serviceId, id })),
  )).flat();
  const present = new Set(found.map(({ id }) => id));
  const absent = wanted.filter((id) => !present.has(id));
  return { found: found.map(fromRow), absent, next: undefined };
}

function fromRow(row: Pick<ReportRow, (typeof READ)[number]>): FoundReport {
  const { id, number, host, port, reporter_id: reporterId } = row;
  const before = {
    status: row.status,
    statusReason: row.status_reason ?? undefined,
    statusNote: row.status_note ?? undefined,
    reportedAt: new Date(row.reported_at),
    expiresAt: new Date(row.expires_at),
    routedTo: row.routed_to ?? undefined,
    judgement: row.judgement ?? undefined,
    acted: toAnswer(row.acted_at, row.acted_bucket),
    acknowledged: toAnswer(row.acknowledged_at, row.acknowledged_bucket),
  };
  return { id, number, host, port, reporterId, before };
}

/** Both are stored together. */
function toAnswer(at: string | null, bucket: number | null): Answer | undefined {
  return at === null || bucket === null ? undefined : { at: new Date(at), bucket };
}

export interface StatusUpdate extends FoundReport, StatusDecision {
  readonly facts: StatusFacts;
  readonly position: {
    readonly serviceId: number;
    readonly sequence: number;
    readonly addedAt: number;
  };
}

/** Writes the statuses, and adds them to the histories of the reports. */
export function* writeStatuses(
  updates: readonly StatusUpdate[],
  { actor, at }: { readonly actor: string; readonly at: Date },
): UnitOfWork<void> {
  const updated_at = at.toISOString();
  yield* each(
    setReport,
    updates.map((update) => {
      const { expiresAt, routedTo, acted, acknowledged, judgement } = update.after;
      return {
        id: update.id,
        serviceId: update.position.serviceId,
        ...statusOf(update, actor),
        expires_at: expiresAt.toISOString(),
        updated_at,
        added_at: update.position.addedAt,
        routed_to: routedTo ?? null,
        acted_at: acted?.at.toISOString() ?? null,
        acted_bucket: acted?.bucket ?? null,
        acknowledged_at: acknowledged?.at.toISOString() ?? null,
        acknowledged_bucket: acknowledged?.bucket ?? null,
        judgement: judgement ?? null,
      };
    }),
  );
  yield* addStatusChanges(
    updates.map((update) => ({
      number: update.number,
      at: updated_at,
      ...statusOf(update, actor),
      is_repeat: Number(update.isRepeat),
      is_self: Number(update.facts.isSelf),
    })),
  );
}

function statusOf({ after, position: { sequence } }: StatusUpdate, actor: string) {
  return {
    status: after.status,
    status_reason: after.statusReason ?? null,
    status_note: after.statusNote ?? null,
    status_by: actor,
    sequence,
  };
}
