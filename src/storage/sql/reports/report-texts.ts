import { type RawBuilder, sql } from 'kysely';
import type { ReportText } from '../../../ports/feed-store.ts';
import { type Dialect, query, row, type UnitOfWork } from '../../unit-of-work.ts';
import { toJsonArray } from '../json-arrays.ts';
import { reportsByNumber } from './serialized-reports.ts';

/** A control character, which JSON text contains only escaped. */
const MARK = '\u0001';

/**
 * The text of a report that has not changed since its creation, otherwise `null`. An update by an
 * earlier version leaves the extension, so the sequences decide.
 */
export const STORED_TEXT = sql<string | null>`case when report.sequence = report.created_sequence
  then rtrim(report.body, '}') || report.extension end`;

/** A row of a page: the text of the report, or a mark and its number if it must be composed. */
const TEXT_OR_NUMBER = sql<string>`coalesce(${STORED_TEXT}, ${sql.lit(MARK)} || report.number)`;

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

/** The reports of a page as one text for `readTexts`. */
export function pageText(order: RawBuilder<unknown>, dialect: Dialect) {
  return joinTexts(TEXT_OR_NUMBER, { separator: ',', order, dialect }).as('text');
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

const selectTexts = query<{ numbers: string }, readonly [text: string | null]>('arrays')(
  (db, parameter, dialect) =>
    db
      .selectFrom(positionedNumbers(parameter.numbers, dialect).as('page'))
      .crossJoin('report')
      .select(pageText(sql`page.key`, dialect))
      .whereRef('report.number', '=', 'page.value'),
);

/** The reports with these numbers that exist, in that order, each whole or joined with others. */
export function* textsByNumber(numbers: readonly number[]): UnitOfWork<readonly ReportText[]> {
  if (numbers.length === 0) return [];
  return yield* readTexts(yield* row(selectTexts, { numbers: toJsonArray(numbers) }));
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
