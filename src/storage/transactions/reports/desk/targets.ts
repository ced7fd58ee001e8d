import type { StatusTarget } from '../../../../ports/feed-store.ts';
import type { ReportRow } from '../../../schema/tables.ts';
import { listNumbers } from '../../../tables/reports/listing/list-reports.ts';
import { numberRows, toJsonArray } from '../../../units/json-arrays.ts';
import { unindexedNumber } from '../../../units/unindexed-columns.ts';
import { each, query, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';

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

/** What the desk reads of a report before it changes the status. */
export type DeskRow = Readonly<Pick<ReportRow, (typeof READ)[number]>>;

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

interface Targets {
  readonly found: readonly DeskRow[];
  readonly absent: readonly string[];
  readonly next: string | undefined;
}

/** The reports of the ids, or the next ones that match the filter. */
export function* findTargets(target: StatusTarget, serviceId: number): UnitOfWork<Targets> {
  const { service: scope, ids, filter = {}, after, limit } = target;
  if (ids === undefined) {
    const page = yield* listNumbers({ scope, filter, order: 'asc', after, limit });
    const found = yield* rows(selectByNumbers, { numbers: toJsonArray(page.numbers) });
    return { found, absent: [], next: page.next };
  }
  const wanted = [...new Set(ids)];
  const found = (yield* each(
    selectById,
    wanted.map((id) => ({ serviceId, id })),
  )).flat();
  const present = new Set(found.map(({ id }) => id));
  return { found, absent: wanted.filter((id) => !present.has(id)), next: undefined };
}
