import type { Positions } from '../../domain/reports/cursor.ts';
import type { Dependencies } from '../dependencies.ts';
import { readPositions } from './feed-positions.ts';

/**
 * The positions in all feeds that a text encodes: `undefined` if this service did not issue the
 * text, `dropped` if the stored positions that it refers to have been deleted.
 */
export async function resolvePositions(
  { store, now }: Pick<Dependencies, 'store' | 'now'>,
  text: string,
): Promise<Positions | 'dropped' | undefined> {
  const read = await readPositions(store.feeds, text, now());
  return typeof read === 'object' ? read.positions : read;
}
