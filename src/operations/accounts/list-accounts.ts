import { seal } from '../../domain/reports/cursor.ts';
import type { Account } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readPageCursor } from '../page-cursor.ts';

export interface ListedAccounts {
  readonly accounts: readonly Account[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

const PURPOSE = ['accounts'];

/** Returns a page of the accounts, ordered by name. */
export async function listAccounts(
  { store, now }: Dependencies,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<ListedAccounts> {
  const secret = await store.feeds.secret();
  const after = readPageCursor(secret, PURPOSE, cursor);
  // The extra row shows whether there is another page.
  const found = await store.accounts.list({ after, limit: limit + 1 }, now());
  const accounts = found.slice(0, limit);
  const last = found.length > limit ? accounts.at(-1) : undefined;
  return { accounts, nextCursor: last && seal(secret, PURPOSE, last.name) };
}
