import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Migration {
  /** The file name without its extension: `0001-accounts`. */
  readonly name: string;
  readonly sql: string;
}

/** `migrations` is a sibling of `src`, in the repository and in the published package. */
export function readMigrations(dialect: 'sqlite' | 'postgres'): readonly Migration[] {
  const folder = fileURLToPath(new URL(`../../migrations/${dialect}/`, import.meta.url));
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), sql: readFileSync(folder + file, 'utf8') }));
}

/**
 * Recorded in the `migration` table of the target while `rapsheet migrate` copies a store into it.
 */
export const BEING_MOVED = 'being-moved';

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
  const names = new Set(known.map(({ name }) => name));
  const unknown = applied.filter((name) => !names.has(name));
  if (unknown.length > 0) {
    throw new Error(
      `the store was written by a newer Rapsheet (it has ${unknown.join(', ')}): start that version, or restore a backup made by this one`,
    );
  }
  return known.filter(({ name }) => !applied.includes(name));
}
