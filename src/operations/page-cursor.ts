import { Problem } from '../domain/problem.ts';
import { type Purpose, seal, unseal } from '../domain/reports/cursor.ts';

/** The position in the cursor of a page; `undefined` without a cursor: the first page. */
export function readPageCursor(
  secret: Uint8Array,
  purpose: Purpose,
  cursor: string | undefined,
): string | undefined {
  if (cursor === undefined) return undefined;
  const position = unseal(secret, purpose, cursor);
  if (position === undefined) throw new Problem('invalid_cursor');
  return position;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

/** Takes up to `limit + 1` items: the extra one shows whether there is another page. */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  cursor: {
    readonly secret: Uint8Array;
    readonly purpose: Purpose;
    readonly positionOf: (last: Item) => string;
  },
): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  const { secret, purpose, positionOf } = cursor;
  return { items, nextCursor: hasMore ? seal(secret, purpose, positionOf(last)) : undefined };
}
