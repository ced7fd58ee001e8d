import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Dialect } from './query.ts';

/**
 * JSON arrays as values of a statement: as a parameter for any number of values, and as a result,
 * because a row for each value takes three times as long. The two dialects differ in the syntax.
 */
export function toJsonArray(values: readonly (number | string)[]): string {
  return JSON.stringify(values);
}

export function parseJsonNumbers(array: string | undefined): readonly number[] {
  return array === undefined ? [] : JSON.parse(array);
}

/** The numbers of an array as rows, in its order. */
export function numberRows(array: string, dialect: Dialect): RawBuilder<{ value: number }> {
  return dialect === 'sqlite'
    ? sql<{ value: number }>`json_each(${array})`
    : sql<{
        value: number;
      }>`(select value::bigint as value from json_array_elements_text(${array}::json))`;
}

/** The texts of an array as rows, in its order. */
export function textRows(array: string, dialect: Dialect): RawBuilder<{ value: string }> {
  return dialect === 'sqlite'
    ? sql<{ value: string }>`json_each(${array})`
    : sql<{ value: string }>`(select value from json_array_elements_text(${array}::json))`;
}

/** Aggregates the numbers of all rows into one array. */
export function jsonArrayAgg(column: Expression<number>, dialect: Dialect): RawBuilder<string> {
  return dialect === 'sqlite'
    ? sql<string>`json_group_array(${column})`
    : sql<string>`coalesce(json_agg(${column}), '[]')::text`;
}
