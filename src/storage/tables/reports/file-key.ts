import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../units/query.ts';

/**
 * The reports of a file, by the index of files. On SQLite the index has the bytes of the hash: half
 * as many as its text, so more of its pages stay in memory. PostgreSQL has the text in its index.
 */
export function isOfFile(sha256: string | null, dialect: Dialect): RawBuilder<boolean> {
  return dialect === 'sqlite'
    ? sql<boolean>`unhex(report.sha256) = unhex(${sha256})`
    : sql<boolean>`report.sha256 = ${sha256}`;
}
