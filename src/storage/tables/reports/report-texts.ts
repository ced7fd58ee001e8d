import { type RawBuilder, sql } from 'kysely';
import type { ReportText } from '../../../ports/feed-store.ts';
import type { ExtensionTexts } from '../../../ports/store.ts';
import { toJsonArray } from '../../units/json-arrays.ts';
import { type Dialect, query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { reportsByNumber } from './serialized-reports.ts';

/** A control character, which JSON text contains only escaped. */
const MARK = '\u0001';

/** The texts of the serializer as parameters. */
export type TextParameters = { [Name in keyof ExtensionTexts]: string | null };

/** Without a serializer all reports are composed outside of the database. */
export const NO_TEXTS: TextParameters = {
  beforeService: null,
  beforeSequence: null,
  beforeStatus: null,
  beforeUpdatedAt: null,
  beforeExpiresAt: null,
  beforeCorroboration: null,
  beforeSightings: null,
  beforeRecurrence: null,
  beforeConfirmation: null,
  withoutRoute: null,
  beforeOwnRoute: null,
  beforeOtherRoute: null,
  afterRoute: null,
};

interface TextOptions {
  readonly parameter: TextParameters;
  /** The slug of the report's feed. */
  readonly slug: RawBuilder<unknown>;
  readonly dialect: Dialect;
}

/**
 * The text of a report as it is sent to any reader; `null` if a desk has acted on it, because then
 * the text depends on the reader. `concat` takes two thirds of the time of `||`, which copies the
 * text for each value.
 */
export function reportText({ parameter, slug, dialect }: TextOptions): RawBuilder<string | null> {
  const text = (value: string | null) => sql`cast(${value} as text)`;
  return sql<string | null>`case
    when report.status_by is null and report.status_reason is null and report.status_note is null
      and ${text(parameter.afterRoute)} is not null
    then concat(
      rtrim(report.body, '}'),
      ${text(parameter.beforeService)}, ${slug},
      ${text(parameter.beforeSequence)}, report.sequence,
      ${text(parameter.beforeStatus)}, report.status,
      ${text(parameter.beforeUpdatedAt)}, ${timeText('report.updated_at', dialect)},
      ${text(parameter.beforeExpiresAt)}, ${timeText('report.expires_at', dialect)},
      ${text(parameter.beforeCorroboration)}, report.corroboration,
      ${text(parameter.beforeSightings)}, report.sightings,
      ${text(parameter.beforeRecurrence)}, case report.recurrence when 0 then 'false' else 'true' end,
      ${text(parameter.beforeConfirmation)}, report.confirmation,
      case
        when report.routed_to is null then ${text(parameter.withoutRoute)}
        else concat(
          case when report.routed_to = ${slug} then ${text(parameter.beforeOwnRoute)}
            else ${text(parameter.beforeOtherRoute)} end,
          report.routed_to, ${text(parameter.afterRoute)}
        )
      end
    ) end`;
}

/** Up to the seconds. SQLite stores times in this form. */
function timeText(column: string, dialect: Dialect): RawBuilder<unknown> {
  return dialect === 'sqlite'
    ? sql`substr(${sql.ref(column)}, 1, 19)`
    : sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}

/**
 * Joins the texts of all rows: one long text takes a third less time than a row for each report.
 * SQLite reads the rows in the order of the page, PostgreSQL in any order.
 */
export function joinTexts(
  text: RawBuilder<string>,
  {
    separator,
    order,
    dialect,
  }: { separator: string; order: RawBuilder<unknown>; dialect: Dialect },
): RawBuilder<string | null> {
  return dialect === 'sqlite'
    ? sql<string | null>`group_concat(${text}, ${sql.lit(separator)})`
    : sql<string | null>`string_agg(${text}, ${sql.lit(separator)} order by ${order})`;
}

/**
 * The reports of a page as one text for `readTexts`. A report that must be composed is a mark and
 * its number.
 */
export function pageText(order: RawBuilder<unknown>, options: TextOptions) {
  const text = sql<string>`coalesce(${reportText(options)}, concat(${sql.lit(MARK)}, report.number))`;
  return joinTexts(text, { separator: ',', order, dialect: options.dialect }).as('text');
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

const selectTexts = query<{ numbers: string } & TextParameters, readonly [text: string | null]>(
  'arrays',
)((db, parameter, dialect) =>
  db
    .selectFrom(positionedNumbers(parameter.numbers, dialect).as('page'))
    .crossJoin('report')
    .select(pageText(sql`page.key`, { parameter, slug: SLUG, dialect }))
    .whereRef('report.number', '=', 'page.value'),
);

/** The reports with these numbers that exist, in that order, each whole or joined with others. */
export function* textsByNumber(
  numbers: readonly number[],
  texts: TextParameters,
): UnitOfWork<readonly ReportText[]> {
  if (numbers.length === 0) return [];
  return yield* readTexts(yield* row(selectTexts, { numbers: toJsonArray(numbers), ...texts }));
}

/** Reads the reports of a page that must be composed. */
export function* readTexts(
  found: readonly [text: string | null] | undefined,
): UnitOfWork<readonly ReportText[]> {
  const text = found?.[0] ?? '';
  if (text === '') return [];
  if (!text.includes(MARK)) return [text];
  const [first = '', ...others] = text.split(MARK);
  const changed = others.map(numberAndRest);
  const reports = yield* reportsByNumber(changed.map(({ number }) => number));
  return [
    withoutComma(first),
    ...changed.flatMap(({ rest }, index) => [reports[index] ?? '', withoutComma(rest)]),
  ].filter((one) => one !== '');
}

/** `12,{…},{…},` as a number and the text after its comma. */
function numberAndRest(text: string): { readonly number: number; readonly rest: string } {
  const comma = text.indexOf(',');
  return comma === -1
    ? { number: Number(text), rest: '' }
    : { number: Number(text.slice(0, comma)), rest: text.slice(comma + 1) };
}

function withoutComma(text: string): string {
  return text.endsWith(',') ? text.slice(0, -1) : text;
}
