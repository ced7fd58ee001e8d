import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from './query.ts';

/** The UTC day of a time: `2026-11-16`. */
export function utcDay(column: string, dialect: Dialect): RawBuilder<string> {
  return dialect === 'sqlite'
    ? sql<string>`substr(${sql.ref(column)}, 1, 10)`
    : sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD')`;
}
