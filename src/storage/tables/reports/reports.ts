import type { Report } from '../../../domain/reports/report.ts';
import { query } from '../../units/query.ts';
import { each, row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { fromRow, READ_COLUMNS } from './report-rows.ts';

export const selectReport = query<{ service: string; id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where('report.id', '=', parameter.id)
    .where('service.slug', '=', parameter.service),
);

const selectBody = query<{ service: string; id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select('report.body')
    .where('report.id', '=', parameter.id)
    .where('service.slug', '=', parameter.service),
);

export const selectSlugOf = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select('service.slug')
    .where('report.id', '=', parameter.id),
);

export interface ReportKey {
  readonly service: string;
  readonly id: string;
}

export function* findReport(key: ReportKey): UnitOfWork<Report | undefined> {
  const found = yield* row(selectReport, key);
  return found && fromRow(found);
}

/** The serialized reports of concurrent fetches. */
export function* fetchReports(
  keys: readonly ReportKey[],
): UnitOfWork<readonly (string | undefined)[]> {
  return (yield* each(selectBody, keys)).map(([found]) => found?.body);
}
