import { type Expression, type RawBuilder, sql } from 'kysely';

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

/** The values of a list as rows, in its order. */
export function rowsOf<Value extends number | string = number>(
  list: string,
): RawBuilder<{ value: Value }> {
  return sql<{ value: Value }>`json_each(${list})`;
}

/** The numbers in all rows as one list. */
export function listOf(column: Expression<number>): RawBuilder<string> {
  return sql<string>`json_group_array(${column})`;
}
