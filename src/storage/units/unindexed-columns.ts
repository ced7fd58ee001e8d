import { type RawBuilder, sql } from 'kysely';

/**
 * Columns as expressions that no index matches, for conditions of statements that name the row by
 * its key. Without statistics a planner may choose the less selective of two indexes, and read a
 * whole feed to find one of its rows.
 */
export function unindexedNumber(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} + 0`;
}

export function unindexedText(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} || ''`;
}

/** `column is not null` in a form that no partial index matches. */
export function isPresent(column: string): RawBuilder<boolean> {
  return sql<boolean>`case when ${sql.ref(column)} is null then 0 else 1 end = 1`;
}
