import { type RawBuilder, sql } from 'kysely';

/**
 * Conditions that no index can answer, for statements that already name the row by its key. Without statistics a planner
 * may take the less selective of two indexes, and read a whole feed for the sake of one row of it.
 */
export function numberFilter(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} + 0`;
}

export function textFilter(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} || ''`;
}

/** `column is not null`, which would otherwise match every partial index of that condition. */
export function isPresent(column: string): RawBuilder<boolean> {
  return sql<boolean>`case when ${sql.ref(column)} is null then 0 else 1 end = 1`;
}
