import { sql } from 'kysely';

/** Adds to each of the columns, in the row that exists already. */
export function added<Column extends string>(table: string, columns: readonly Column[]) {
  return Object.fromEntries(
    columns.map((column) => [
      column,
      sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
    ]),
  ) as Record<Column, ReturnType<typeof sql<number>>>;
}
