import type { ReportRow } from '../../schema/tables.ts';
import { numberRows } from '../../units/json-arrays.ts';
import { query } from '../../units/query.ts';
import { unindexedNumber } from '../../units/unindexed-columns.ts';

export const READ = [
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
export const selectById = query<{ serviceId: number; id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(COLUMNS)
    .where('report.id', '=', parameter.id)
    .where(unindexedNumber('report.service_id'), '=', parameter.serviceId),
);

export const selectByNumbers = query<{ numbers: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(numberRows(parameter.numbers, dialect).as('wanted'))
    .crossJoin('report')
    .select(COLUMNS)
    .whereRef('report.number', '=', 'wanted.value'),
);
