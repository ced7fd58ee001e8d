import { type RawBuilder, sql } from 'kysely';
import type { SerializedChange } from '../../../../domain/reports/change.ts';
import type { ChangeRecord } from '../../../../ports/feed-store.ts';
import { type Dialect, query } from '../../../units/query.ts';
import { rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { isReportText, reportText } from '../report-texts.ts';
import type { Feed } from './feed-log.ts';

/** Like `toISOString`. SQLite stores times in this form. */
const isoTime = (dialect: Dialect) =>
  dialect === 'sqlite'
    ? sql`page.at`
    : sql`to_char(page.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The sequence and type of a change with the text of its report, if that is the same for every
 * reader; otherwise the other fields of the change.
 */
function changeText(report: RawBuilder<unknown>, dialect: Dialect) {
  // `concat` ignores nulls, so without a report its text would not be null.
  return sql<string>`concat(page.sequence, ' ', page.type, ' ', coalesce(
    case when report.number is not null then ${report} end,
    concat(page.report_id, ' ', ${isoTime(dialect)})
  ))`.as('text');
}

interface LogRange {
  serviceId: number;
  slug: string;
  since: number;
  limit: number;
}

const selectChangeTexts = query<LogRange, readonly [text: string]>('arrays')(
  (db, parameter, dialect) => {
    const slug = sql`cast(${parameter.slug} as text)`;
    return db
      .selectFrom(
        db
          .selectFrom('event')
          .select(['event.sequence', 'event.type', 'event.report_id', 'event.at', 'event.number'])
          .where('event.service_id', '=', parameter.serviceId)
          .where('event.sequence', '>', parameter.since)
          .orderBy('event.sequence')
          .limit(parameter.limit)
          .as('page'),
      )
      .leftJoin('report', 'report.number', 'page.number')
      .select(changeText(reportText(slug, dialect), dialect))
      .orderBy('page.sequence');
  },
);

/** The changes of a feed after a sequence, without the reports that must be composed. */
export function* readChangeTexts(
  { id, slug }: Feed,
  { since, limit }: { readonly since: number; readonly limit: number },
): UnitOfWork<readonly (ChangeRecord | SerializedChange)[]> {
  const found = yield* rows(selectChangeTexts, { serviceId: id, slug, since, limit });
  return found.map(([text]) => parseChange(slug, text));
}

function parseChange(service: string, change: string): ChangeRecord | SerializedChange {
  const typeStart = change.indexOf(' ') + 1;
  const typeEnd = change.indexOf(' ', typeStart);
  const sequence = Number(change.slice(0, typeStart - 1));
  const type = change.slice(typeStart, typeEnd) as ChangeRecord['type'];
  const rest = change.slice(typeEnd + 1);
  if (isReportText(rest)) return { service, sequence, type, text: rest };
  const [reportId = '', at = ''] = rest.split(' ');
  return { service, sequence, type, reportId, at: new Date(at) };
}
