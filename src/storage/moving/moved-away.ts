import { NO_SCHEMA, oldestAfter } from '../../domain/admission.ts';
import { MOVED_AWAY, readMigrations } from '../migrate.ts';
import type { MoveEndpoint } from './move-endpoint.ts';

/** Whether the source was moved, and not opened again since. */
export async function isMovedAway(source: MoveEndpoint): Promise<boolean> {
  const found = await source.query('select 1 from migration where name = $1', [MOVED_AWAY]);
  return found.length > 0;
}

/**
 * Ends the transaction of the source, which nothing could write to, so that no server uses it any
 * more: what it accepted would be missing in the target.
 */
export async function moveAway(source: MoveEndpoint): Promise<void> {
  await source.query(
    'insert into migration (name, applied_at) values ($1, $2) on conflict (name) do nothing',
    [MOVED_AWAY, new Date().toISOString()],
  );
  await source.query('update admission set oldest_schema = $1', [NO_SCHEMA]);
  await source.query('commit');
}

/** Makes the source of a move a store again. Throws if it is none. */
export async function reopen(source: MoveEndpoint): Promise<void> {
  if (!(await isMovedAway(source))) throw new Error(`${source.name} was not moved: it is in use`);
  await source.query('delete from migration where name = $1', [MOVED_AWAY]);
  await source.query('update admission set oldest_schema = $1', [
    oldestAfter(readMigrations('sqlite')),
  ]);
  await source.query('commit');
}
