import { sql } from 'kysely';
import type { UnchangedCreation } from '../../../domain/reports/change.ts';
import type { ChangeRecord } from '../../../ports/feed-store.ts';
import { type Dialect, query, row, type UnitOfWork } from '../../unit-of-work.ts';
import { joinTexts, STORED_TEXT } from '../reports/report-texts.ts';
import type { Feed } from './feed-log.ts';

/** Control characters, which JSON text contains only escaped. */
const FIELD = '\u0001';
const CHANGE = '\u0002';

/** Like `toISOString`. SQLite stores times in this form. */
const timeText = (dialect: Dialect) =>
  dialect === 'sqlite'
    ? sql`page.at`
    : sql`to_char(page.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The fields of a change, or of a creation only the sequence and the text of the report, if that is
 * stored. Each field that SQLite appends takes as long as a tenth of the row.
 */
function changeText(dialect: Dialect) {
  const field = sql.lit(FIELD);
  return sql<string>`page.sequence || ${field} || coalesce(
    ${STORED_TEXT},
    page.type || ${field} || page.report_id || ${field} || ${timeText(dialect)}
  )`;
}

/** Only creations have the number of the report. */
const selectChangeTexts = query<
  { serviceId: number; since: number; limit: number },
  readonly [text: string | null]
>('arrays')((db, parameter, dialect) =>
  db
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
    .select(
      joinTexts(changeText(dialect), {
        separator: CHANGE,
        order: sql`page.sequence`,
        dialect,
      }).as('text'),
    ),
);

/** The changes of a feed after a sequence. All but unchanged creations are without the report. */
export function* readChangeTexts(
  { id, slug }: Feed,
  since: number,
  limit: number,
): UnitOfWork<readonly (ChangeRecord | UnchangedCreation)[]> {
  const found = yield* row(selectChangeTexts, { serviceId: id, since, limit });
  const text = found?.[0] ?? '';
  return text === '' ? [] : text.split(CHANGE).map((one) => parseChange(slug, one));
}

function parseChange(service: string, text: string): ChangeRecord | UnchangedCreation {
  const end = text.indexOf(FIELD);
  const sequence = Number(text.slice(0, end));
  const rest = text.slice(end + 1);
  if (rest.startsWith('{')) return { service, sequence, type: 'created', text: rest };
  const [type, reportId = '', at = ''] = rest.split(FIELD);
  return { service, sequence, type: type as ChangeRecord['type'], reportId, at: new Date(at) };
}
