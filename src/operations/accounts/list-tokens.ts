import type { Token } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf, readPageCursor } from '../page-cursor.ts';

export interface TokenListRequest {
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface ListedTokens {
  readonly tokens: readonly Token[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

/**
 * Returns a page of the tokens of an account in order of issue. A cursor is valid for its account
 * only.
 */
export async function listTokens(
  { store: { feeds, tokens } }: Pick<Dependencies, 'store'>,
  accountId: string,
  { cursor, limit }: TokenListRequest,
): Promise<ListedTokens> {
  const secret = await feeds.secret();
  const purpose = ['tokens', accountId];
  const after = readPageCursor(secret, purpose, cursor);
  const found = await tokens.list(accountId, { after, limit: limit + 1 });
  const page = pageOf(found, limit, { secret, purpose, positionOf: ({ id }) => id });
  return { tokens: page.items, nextCursor: page.nextCursor };
}
