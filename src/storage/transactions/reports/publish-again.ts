import { type RawBuilder, sql } from 'kysely';
import type { RepairedPage } from '../../../ports/published-versions.ts';
import type { Serializers } from '../../../ports/store.ts';
import { fromRow, READ_COLUMNS } from '../../tables/reports/report-rows.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { lockFeeds } from '../../units/feed-lock.ts';
import { type Dialect, each, query, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { writeUpdates } from './report-updates.ts';

/** The clock of a node may differ by as much from that of the database. */
const SLACK_MS = 5000;

/**
 * Whether readers in the order of publication do not get the newest version of a report. A node
 * that is older than `added_at` leaves it as it was with each change, and 0 in new reports.
 */
export function isUnpublished(dialect: Dialect): RawBuilder<boolean> {
  const updatedAt =
    dialect === 'sqlite'
      ? sql`unixepoch(report.updated_at) * 1000 + cast(substr(report.updated_at, 21, 3) as integer)`
      : sql`floor(extract(epoch from report.updated_at) * 1000)::bigint`;
  return sql`(report.added_at <= 0 or report.added_at < ${updatedAt} - ${sql.lit(SLACK_MS)})`;
}

/** A page of all reports: the condition has no index. */
const selectPage = query<{ after: number; limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(['report.number', 'service.slug'])
    .select(sql<number>`case when ${isUnpublished(dialect)} then 1 else 0 end`.as('is_unpublished'))
    .where('report.number', '>', parameter.after)
    .orderBy('report.number')
    .limit(parameter.limit),
);

const selectReport = query<{ number: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where('report.number', '=', parameter.number)
    .where(isUnpublished(dialect)),
);

/** Counts the reports of the next page that `publishAgain` would publish. */
export function* countUnpublished(after: number, limit: number): UnitOfWork<RepairedPage> {
  const page = yield* rows(selectPage, { after, limit });
  const count = page.filter(({ is_unpublished }) => is_unpublished === 1).length;
  return { count, next: page.at(-1)?.number };
}

/** Publishes them as a change of their feeds, which leaves the reports as they are. */
export function* publishAgain(
  { after, limit, at }: { readonly after: number; readonly limit: number; readonly at: Date },
  serializers: Serializers,
): UnitOfWork<RepairedPage> {
  const page = yield* rows(selectPage, { after, limit });
  const next = page.at(-1)?.number;
  const unpublished = page.filter(({ is_unpublished }) => is_unpublished === 1);
  if (unpublished.length === 0) return { count: 0, next };
  yield* lockFeeds(unpublished.map(({ slug }) => slug));
  // Read again: before the feeds were locked, another transaction may have published them.
  const numbers = unpublished.map(({ number }) => ({ number }));
  const found = (yield* each(selectReport, numbers)).flat();
  const updates = found.map((row) => {
    const before = fromRow(row);
    return { number: row.number, before, after: { ...before, updatedAt: at } };
  });
  const counts = new StatisticCounts();
  yield* writeUpdates(updates, { at, serializers, counts });
  yield* counts.write();
  return { count: updates.length, next };
}
