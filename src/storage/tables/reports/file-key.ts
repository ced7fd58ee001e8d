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

/** The expression of the index of files. */
export function fileKey(dialect: Dialect): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`unhex(report.sha256)` : sql`report.sha256`;
}

/** The reports of files in a range of hashes, without the first and with the last. */
export function isFileBetween(after: string, to: string, dialect: Dialect): RawBuilder<boolean> {
  return dialect === 'sqlite'
    ? sql<boolean>`unhex(report.sha256) > unhex(${after}) and unhex(report.sha256) <= unhex(${to})`
    : sql<boolean>`report.sha256 > ${after} and report.sha256 <= ${to}`;
}
