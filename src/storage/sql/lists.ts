import { type Expression, type RawBuilder, sql } from 'kysely';

/**
 * Lists of numbers as one value, whose text is JSON: as an argument, where there may be any number of them, and as a
 * result, where a row for each would take three times as long. Databases write this differently, so it stands here.
 */
export function toList(numbers: readonly number[]): string {
  return JSON.stringify(numbers);
}

export function fromList(list: string | undefined): readonly number[] {
  return list === undefined ? [] : JSON.parse(list);
}

/** The numbers of a list as rows, in its order. */
export function rowsOf(list: string): RawBuilder<{ value: number }> {
  return sql<{ value: number }>`json_each(${list})`;
}

/** The numbers in all rows as one list. */
export function listOf(column: Expression<number>): RawBuilder<string> {
  return sql<string>`json_group_array(${column})`;
}
