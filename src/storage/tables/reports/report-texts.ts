import { type RawBuilder, sql } from 'kysely';
import { EXTENDED_TEXT, type ExtendedValue } from '../../../domain/reports/extended-report.ts';
import type { ReportText } from '../../../ports/feed-store.ts';
import { toJsonArray } from '../../units/json-arrays.ts';
import { type Dialect, query } from '../../units/query.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { reportsByNumber } from './serialized-reports.ts';

/*
 * Pages and changes are read as one column: the text of each report, composed in the database.
 * Reading a value costs more than composing it: with a column for each value, a page takes 1.5
 * times the processor time and a page of changes 1.9 times. The plain form is `reportsByNumber`,
 * whose reports `serializeExtended` composes.
 */

/** The slug of the report's feed. */
type Slug = RawBuilder<unknown>;

/**
 * The text of a report as it is sent to any reader; `null` if a desk has acted on it, because then
 * the text depends on the reader. `concat` takes two thirds of the time of `||`, which copies the
 * text for each value.
 */
export function reportText(slug: Slug, dialect: Dialect): RawBuilder<string | null> {
  const values: Readonly<Record<ExtendedValue, RawBuilder<unknown>>> = {
    body: sql`rtrim(report.body, '}')`,
    service: slug,
    sequence: sql`report.sequence`,
    status: sql`report.status`,
    answer: sql`'null'`,
    updatedAt: timeText('report.updated_at', dialect),
    expiresAt: timeText('report.expires_at', dialect),
    corroboration: sql`report.corroboration`,
    sightings: sql`report.sightings`,
    recurrence: sql`case report.recurrence when 0 then 'false' else 'true' end`,
    confirmation: sql`report.confirmation`,
    misrouted: sql`case when report.routed_to <> ${slug} then 'true' else 'false' end`,
    routedTo: sql`case when report.routed_to is null then 'null'
      else concat('"', report.routed_to, '"') end`,
  };
  const { texts, names } = EXTENDED_TEXT;
  const parts = names.flatMap((name, index) => [values[name], sql.lit(texts[index + 1])]);
  return sql<string | null>`case
    when report.status_by is null and report.status_reason is null and report.status_note is null
    then concat(${sql.join(parts)}) end`;
}

/** Up to the seconds. SQLite stores times in this form. */
function timeText(column: string, dialect: Dialect): RawBuilder<unknown> {
  return dialect === 'sqlite'
    ? sql`substr(${sql.ref(column)}, 1, 19)`
    : sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}

/** A row for `readTexts`: the text of a report, or the number of one that must be composed. */
export type TextTuple = readonly [text: string];

export function textOrNumber(slug: Slug, dialect: Dialect) {
  const number = sql`cast(report.number as text)`;
  return sql<string>`coalesce(${reportText(slug, dialect)}, ${number})`.as('text');
}

/** Whether it is the text of a report, a JSON object. */
export function isReportText(text: string): boolean {
  return text.startsWith('{');
}

/** Reads the reports of a page that must be composed. */
export function* readTexts(found: readonly TextTuple[]): UnitOfWork<readonly ReportText[]> {
  const texts = found.map(([text]) => text);
  const numbers = texts.filter((text) => !isReportText(text)).map(Number);
  if (numbers.length === 0) return texts;
  // One for each number: they are read in the same snapshot.
  const reports = (yield* reportsByNumber(numbers)).values();
  return texts.flatMap((text) => (isReportText(text) ? text : (reports.next().value ?? [])));
}

/** The numbers of an array with their positions. */
function positionedNumbers(array: string, dialect: Dialect) {
  type Row = { key: number; value: number };
  return dialect === 'sqlite'
    ? sql<Row>`json_each(${array})`
    : sql<Row>`(
        select listed.value::bigint as value, listed.key
        from json_array_elements_text(${array}::json) with ordinality as listed (value, key)
      )`;
}

/** The lists of all feeds have reports of several. */
const SLUG = sql`(select service.slug from service where service.id = report.service_id)`;

const selectTexts = query<{ numbers: string }, TextTuple>('arrays')((db, parameter, dialect) =>
  db
    .selectFrom(positionedNumbers(parameter.numbers, dialect).as('page'))
    .crossJoin('report')
    .select(textOrNumber(SLUG, dialect))
    .whereRef('report.number', '=', 'page.value')
    .orderBy('page.key'),
);

/** The reports with these numbers that exist, in that order. */
export function* textsByNumber(numbers: readonly number[]): UnitOfWork<readonly ReportText[]> {
  if (numbers.length === 0) return [];
  return yield* readTexts(yield* rows(selectTexts, { numbers: toJsonArray(numbers) }));
}
