import type { SerializedReport } from '../../../domain/reports/report.ts';
import type { ReportRow } from '../../schema/tables.ts';
import { inChunks } from '../../units/chunks.ts';
import { numberRows, textRows, toJsonArray } from '../../units/json-arrays.ts';
import { query } from '../../units/query.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The columns of a `SerializedReport` but the slug of its feed. */
export const SERIALIZED_COLUMNS = [
  'report.body',
  'report.sequence',
  'report.reporter_id',
  'report.status',
  'report.status_reason',
  'report.status_note',
  'report.status_by',
  'report.updated_at',
  'report.expires_at',
  'report.corroboration',
  'report.sightings',
  'report.recurrence',
  'report.confirmation',
  'report.routed_to',
] as const satisfies readonly `report.${keyof ReportRow}`[];

/** The values of these columns. */
export type SerializedTuple = readonly [
  body: string,
  sequence: number,
  reporterId: string,
  status: ReportRow['status'],
  statusReason: string | null,
  statusNote: string | null,
  statusBy: string | null,
  updatedAt: string,
  expiresAt: string,
  corroboration: number,
  sightings: number,
  recurrence: number,
  confirmation: ReportRow['confirmation'],
  routedTo: string | null,
];

/** Other columns may follow those of the tuple. */
export function fromTuple(
  service: string,
  tuple: readonly [...SerializedTuple, ...unknown[]],
): SerializedReport {
  return {
    body: tuple[0],
    service,
    sequence: tuple[1],
    reporterId: tuple[2],
    status: tuple[3],
    statusReason: tuple[4] ?? undefined,
    statusNote: tuple[5] ?? undefined,
    statusBy: tuple[6] ?? undefined,
    updatedAt: tuple[7],
    expiresAt: tuple[8],
    corroboration: tuple[9],
    sightings: tuple[10],
    recurrence: tuple[11] !== 0,
    confirmation: tuple[12],
    routedTo: tuple[13] ?? undefined,
  };
}

const selectByIds = query<{ ids: string }, readonly [...SerializedTuple, slug: string, id: string]>(
  'arrays',
)((db, parameter, dialect) =>
  db
    .selectFrom(textRows(parameter.ids, dialect).as('wanted'))
    .crossJoin('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(SERIALIZED_COLUMNS)
    .select(['service.slug', 'report.id'])
    .whereRef('report.id', '=', 'wanted.value'),
);

const selectByNumbers = query<
  { numbers: string },
  readonly [...SerializedTuple, slug: string, number: number]
>('arrays')((db, parameter, dialect) =>
  db
    .selectFrom(numberRows(parameter.numbers, dialect).as('wanted'))
    .crossJoin('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(SERIALIZED_COLUMNS)
    .select(['service.slug', 'report.number'])
    .whereRef('report.number', '=', 'wanted.value'),
);

/** The reports that exist, by id. */
export function* reportsById(
  ids: readonly string[],
): UnitOfWork<ReadonlyMap<string, SerializedReport>> {
  const reports = new Map<string, SerializedReport>();
  for (const chunk of inChunks([...new Set(ids)], MAX_PER_STATEMENT))
    for (const one of yield* rows(selectByIds, { ids: toJsonArray(chunk) }))
      reports.set(one[15], fromTuple(one[14], one));
  return reports;
}

/** The reports that exist, in the order of the numbers. */
export function* reportsByNumber(
  numbers: readonly number[],
): UnitOfWork<readonly SerializedReport[]> {
  const byNumber = new Map<number, SerializedReport>();
  for (const chunk of inChunks(numbers, MAX_PER_STATEMENT))
    for (const one of yield* rows(selectByNumbers, { numbers: toJsonArray(chunk) }))
      byNumber.set(one[15], fromTuple(one[14], one));
  return numbers.flatMap((number) => byNumber.get(number) ?? []);
}

/** The limit on the reports of one statement, which may have several kilobytes each. */
const MAX_PER_STATEMENT = 100;
