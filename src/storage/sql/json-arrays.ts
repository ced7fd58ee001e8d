import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../unit-of-work.ts';

/**
 * Lists as one value, whose text is JSON: as an argument, where there may be any number of them, and as a result,
 * where a row for each would take three times as long. Databases write this differently, so it stands here.
 */
export function toList(values: readonly (number | string)[]): string {
  return JSON.stringify(values);
}

export function fromList(list: string | undefined): readonly number[] {
  return list === undefined ? [] : JSON.parse(list);
}

/** The numbers of a list as rows, in its order. */
export function numbersOf(list: string, dialect: Dialect): RawBuilder<{ value: number }> {
  return dialect === 'sqlite'
    ? sql<{ value: number }>`json_each(${list})`
    : sql<{
        value: number;
      }>`(select value::bigint as value from json_array_elements_text(${list}::json))`;
}

/** The texts of a list as rows, in its order. */
export function textsOf(list: string, dialect: Dialect): RawBuilder<{ value: string }> {
  return dialect === 'sqlite'
    ? sql<{ value: string }>`json_each(${list})`
    : sql<{ value: string }>`(select value from json_array_elements_text(${list}::json))`;
}

/** The numbers in all rows as one list. */
export function listOf(column: Expression<number>, dialect: Dialect): RawBuilder<string> {
  return dialect === 'sqlite'
    ? sql<string>`json_group_array(${column})`
    : sql<string>`coalesce(json_agg(${column}), '[]')::text`;
}
