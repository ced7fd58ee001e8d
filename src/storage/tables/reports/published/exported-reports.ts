import type { ExportedReport } from '../../../../domain/reports/exported-report.ts';
import { numberRows, toJsonArray } from '../../../units/json-arrays.ts';
import { query } from '../../../units/query.ts';
import { rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { REPORT_COLUMNS, type ReportTuple, toExported } from './version-rows.ts';

const selectByNumbers = query<{ numbers: string }, readonly [...ReportTuple, slug: string]>(
  'arrays',
)((db, parameter, dialect) =>
  db
    .selectFrom(numberRows(parameter.numbers, dialect).as('wanted'))
    .crossJoin('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(REPORT_COLUMNS)
    .select('service.slug')
    .whereRef('report.number', '=', 'wanted.value'),
);

/** The reports that exist, in the order of the numbers: at most a hundred, for one statement. */
export function* exportedByNumber(
  numbers: readonly number[],
): UnitOfWork<readonly ExportedReport[]> {
  const found = yield* rows(selectByNumbers, { numbers: toJsonArray(numbers) });
  const byNumber = new Map<number, ExportedReport>();
  for (const tuple of found) {
    const version = toExported(tuple[REPORT_COLUMNS.length] as string, tuple);
    if ('report' in version) byNumber.set(version.report.number, version.report);
  }
  return numbers.flatMap((number) => byNumber.get(number) ?? []);
}
