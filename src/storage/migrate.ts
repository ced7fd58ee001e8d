import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type OlderNodes, parseOlderNodes, schemaOf } from '../domain/admission.ts';

export interface Migration {
  /** The file name without its extension: `0001-accounts`. */
  readonly name: string;
  readonly sql: string;
  /** Without a declaration they must stop. */
  readonly olderNodes: OlderNodes;
}

/** `migrations` is a sibling of `src`, in the repository and in the published package. */
const folderOf = (dialect: 'sqlite' | 'postgres') =>
  fileURLToPath(new URL(`../../migrations/${dialect}/`, import.meta.url));

function filesOf(dialect: 'sqlite' | 'postgres'): readonly string[] {
  return readdirSync(folderOf(dialect))
    .filter((file) => file.endsWith('.sql'))
    .sort();
}

export function readMigrations(dialect: 'sqlite' | 'postgres'): readonly Migration[] {
  return filesOf(dialect).map((file) => {
    const sql = readFileSync(folderOf(dialect) + file, 'utf8');
    return { name: file.slice(0, -4), sql, olderNodes: parseOlderNodes(sql) ?? 'must stop' };
  });
}

/** The schema of this version, which is the same for both databases. */
export function ownSchema(): number {
  return schemaOf(filesOf('sqlite').at(-1) ?? '');
}

/**
 * Recorded in the `migration` table of the target while `rapsheet migrate` copies a store into it.
 */
export const BEING_MOVED = 'being-moved';
/** Recorded there in the source, when the target has all of it. */
export const MOVED_AWAY = 'moved-away';

/**
 * The migrations that are still to be applied. A store with an unknown migration was written by a
 * newer version and must not be changed by this one.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly string[],
): readonly Migration[] {
  if (applied.includes(BEING_MOVED)) {
    throw new Error(
      'a move into this store has not ended: run the same `rapsheet migrate` again to continue it, or start over with an empty store',
    );
  }
  if (applied.includes(MOVED_AWAY)) {
    throw new Error(
      'this store was moved to another database: set RAPSHEET_DATABASE_URL to that one; if it is not to be used, `rapsheet migrate --reopen` opens this store again',
    );
  }
  const names = new Set(known.map(({ name }) => name));
  const unknown = applied.filter((name) => !names.has(name));
  if (unknown.length > 0) {
    throw new Error(
      `the store was written by a newer Rapsheet (it has ${unknown.join(', ')}): start that version, or restore a backup made by this one`,
    );
  }
  return known.filter(({ name }) => !applied.includes(name));
}
