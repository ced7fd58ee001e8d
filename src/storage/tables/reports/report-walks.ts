import { type RawBuilder, sql } from 'kysely';
import { type Dialect, query } from '../../units/query.ts';
import { READ_COLUMNS } from './report-rows.ts';

export const selectLast = query()((db) =>
  db.selectFrom('report').select(({ fn }) => fn.max<number | null>('number').as('last')),
);

export const selectOlder = query<{ before: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(['report.number', 'report.sha256', 'service.slug'])
    .where('report.number', '<', parameter.before)
    .orderBy('report.number', 'desc')
    .limit(parameter.limit),
);

export const selectRange = query<ReportRange>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where('report.number', '>=', parameter.first)
    .where('report.number', '<', parameter.before)
    .orderBy('report.number', 'desc'),
);

export interface ReportRange {
  readonly first: number;
  readonly before: number;
}

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
export const selectPage = query<{ after: number; limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(['report.number', 'service.slug'])
    .select(sql<number>`case when ${isUnpublished(dialect)} then 1 else 0 end`.as('is_unpublished'))
    .where('report.number', '>', parameter.after)
    .orderBy('report.number')
    .limit(parameter.limit),
);

export const selectUnpublished = query<{ number: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where('report.number', '=', parameter.number)
    .where(isUnpublished(dialect)),
);

export const selectAfter = query<{ after: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(['number', 'service_id', 'name', 'tags', 'host'])
    .where('number', '>', parameter.after)
    .orderBy('number')
    .limit(parameter.limit),
);
