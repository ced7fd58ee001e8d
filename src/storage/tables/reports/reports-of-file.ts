import { ONE, query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { fileKey, isFileBetween, isOfFile } from './file-key.ts';
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

const selectNextHash = query<{ after: string; to: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .select('sha256')
    .where(isFileBetween(parameter.after, parameter.to, dialect))
    .orderBy(fileKey(dialect))
    .limit(ONE),
);

/**
 * The SHA-256 hashes of reported files that start with these digits, in their order. Skips from
 * file to file in the index.
 */
export function* hashesWithStart(start: string, limit: number): UnitOfWork<readonly string[]> {
  const hashes: string[] = [];
  // An even number of digits; a whole hash is longer, so it follows.
  let after = start.padEnd(start.length + (start.length % 2), '0');
  const to = start.padEnd(SHA256_DIGITS, 'f');
  while (hashes.length < limit) {
    const next = yield* row(selectNextHash, { after, to });
    if (next === undefined) break;
    hashes.push(next.sha256);
    after = next.sha256;
  }
  return hashes;
}

const SHA256_DIGITS = 64;

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
