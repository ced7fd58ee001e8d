import { ONE, query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { isOfFile } from './file-key.ts';
import type { PendingReports } from './pending-renames.ts';
import { READ_COLUMNS } from './report-rows.ts';

/** In the order of the index, so that no more than `limit` rows are read. */
export const selectInFeed = query<{ sha256: string; serviceId: number; limit: number }>()(
  (db, parameter, dialect) =>
    db
      .selectFrom('report')
      .select(['report.id', 'report.reporter_id', 'report.host', 'report.port'])
      .where(isOfFile(parameter.sha256, dialect))
      .where('report.service_id', '=', parameter.serviceId)
      .orderBy('report.number', 'desc')
      .limit(parameter.limit),
);

/** In the order of the index, so that no more than `limit` rows are read. */
export const selectFirstOfFile = query<{ sha256: string; limit: number }>()(
  (db, parameter, dialect) =>
    db
      .selectFrom('report')
      .innerJoin('service', 'service.id', 'report.service_id')
      .select(READ_COLUMNS)
      .select('service.slug')
      .where(isOfFile(parameter.sha256, dialect))
      .orderBy('report.service_id')
      .orderBy('report.number')
      .limit(parameter.limit),
);

/** Most analyses have no report of their file, so this runs first: 4 instead of 48 µs. */
export const selectAnyOfFile = query<{ sha256: string }>()((db, parameter, dialect) =>
  db.selectFrom('report').select('number').where(isOfFile(parameter.sha256, dialect)).limit(ONE),
);

export const selectNextOfFile = query<PendingReports & { limit: number }>()(
  (db, parameter, dialect) =>
    db
      .selectFrom('report')
      .innerJoin('service', 'service.id', 'report.service_id')
      .select(READ_COLUMNS)
      .select('service.slug')
      .where(isOfFile(parameter.sha256, dialect))
      .where('report.service_id', '=', parameter.service_id)
      .where('report.number', '>', parameter.number)
      .orderBy('report.number')
      .limit(parameter.limit),
);

export const selectNextFeed = query<{ sha256: string; service_id: number }>()(
  (db, parameter, dialect) =>
    db
      .selectFrom('report')
      .select('service_id')
      .where(isOfFile(parameter.sha256, dialect))
      .where('service_id', '>', parameter.service_id)
      .orderBy('service_id')
      .limit(ONE),
);

/** Skips from feed to feed in the index: a file may have a million reports in one feed. */
export function* feedsOfHash(sha256: string): UnitOfWork<readonly number[]> {
  const feeds: number[] = [];
  let next = yield* row(selectNextFeed, { sha256, service_id: 0 });
  while (next !== undefined) {
    feeds.push(next.service_id);
    next = yield* row(selectNextFeed, { sha256, service_id: next.service_id });
  }
  return feeds;
}
