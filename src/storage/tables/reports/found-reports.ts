import type { ReportStatus } from '../../../domain/reports/desk.ts';
import { numberRows } from '../../units/json-arrays.ts';
import { ONE, query } from '../../units/query.ts';
import { type C2Key, hasC2Key } from './c2-key.ts';
import { READ_COLUMNS } from './report-rows.ts';

export const selectFound = query<{ numbers: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(numberRows(parameter.numbers, dialect).as('wanted'))
    .crossJoin('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select(['service.slug', 'report.number'])
    .whereRef('report.number', '=', 'wanted.value'),
);

export const selectOldestOfC2 = query<C2Key>()((db, parameter) =>
  db.selectFrom('report').select('number').where(hasC2Key(parameter)).orderBy('number').limit(ONE),
);

export type CountedTuple = readonly [
  number: number,
  status: ReportStatus,
  name: string,
  reportedAt: string,
  reportedBy: string,
];

export const selectCounted = query<{ numbers: string }, CountedTuple>('arrays')(
  (db, parameter, dialect) =>
    db
      .selectFrom(numberRows(parameter.numbers, dialect).as('wanted'))
      .crossJoin('report')
      .select([
        'report.number',
        'report.status',
        'report.name',
        'report.reported_at',
        'report.reported_by',
      ])
      .whereRef('report.number', '=', 'wanted.value'),
);
