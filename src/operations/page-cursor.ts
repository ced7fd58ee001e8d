import { Problem } from '../domain/problem.ts';
import { type Purpose, unseal } from '../domain/reports/cursor.ts';

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
