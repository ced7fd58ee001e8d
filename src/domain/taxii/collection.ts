import { createHmac } from 'node:crypto';
import { type Purpose, seal, unseal } from '../reports/cursor.ts';
import { formatUuid } from '../uuid.ts';

/** The alias of the collection over all feeds. No service has this slug. */
export const ALL = 'all';

/** TAXII requires a random UUID, so it has the form of one. It never changes. */
export function collectionId(alias: string, namespace: string): string {
  return formatUuid(createHmac('sha256', namespace).update(`collection:${alias}`).digest(), 4);
}

/**
 * How far a collection was read: all objects that were added up to `at`; with `within`, of those
 * added at that time only the ones before the object with that index in the version of that feed.
 */
export interface CollectionPosition {
  readonly at: number;
  readonly within?: { readonly feed: string; readonly index: number } | undefined;
}

export interface CollectionCursor {
  readonly alias: string;
  readonly position: CollectionPosition;
}

const PURPOSE: Purpose = ['taxii'];

export function formatCursor(secret: Uint8Array, { alias, position }: CollectionCursor): string {
  const { at, within } = position;
  const parts = within === undefined ? [alias, at] : [alias, at, within.feed, within.index];
  return seal(secret, PURPOSE, JSON.stringify(parts));
}

/** `undefined` if this installation did not issue it. */
export function parseCursor(secret: Uint8Array, text: string): CollectionCursor | undefined {
  const payload = unseal(secret, PURPOSE, text);
  if (payload === undefined) return undefined;
  const [alias, at, feed, index] = JSON.parse(payload) as [string, number, string?, number?];
  if (feed === undefined || index === undefined) return { alias, position: { at } };
  return { alias, position: { at, within: { feed, index } } };
}
