import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Migration {
  /** The file's name without its ending: `0001-accounts`. */
  readonly name: string;
  readonly sql: string;
}

/** Where the server stands is wherever the package was put; both trees have `migrations` beside `src`. */
export function readMigrations(dialect: 'sqlite' | 'postgres'): readonly Migration[] {
  const folder = fileURLToPath(new URL(`../../migrations/${dialect}/`, import.meta.url));
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), sql: readFileSync(folder + file, 'utf8') }));
}

/** Stands among the migrations of a store while another one is moved into it. */
export const BEING_MOVED = 'being-moved';

/**
 * Which migrations are still to be applied. A store that has seen one that we do not know was written by
 * a newer program: we would not understand it, so we do not touch it.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly string[],
): readonly Migration[] {
  if (applied.includes(BEING_MOVED)) {
    throw new Error(
      'a move into this store has not ended: go on with the same `rapsheet migrate`, or begin anew with an empty store',
    );
  }
  const names = new Set(known.map(({ name }) => name));
  const foreign = applied.filter((name) => !names.has(name));
  if (foreign.length > 0) {
    throw new Error(
      `the store was written by a newer Rapsheet (it has ${foreign.join(', ')}): start that version, or restore a backup made by this one`,
    );
  }
  return known.filter(({ name }) => !applied.includes(name));
}
