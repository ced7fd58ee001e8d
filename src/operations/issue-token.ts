import { Problem } from '../domain/problem.ts';
import { digestToken, formatToken, TOKEN_RANDOM_BYTES, tokenHint } from '../domain/token.ts';
import type { Act } from '../ports/act.ts';
import type { NewToken, Token } from '../ports/store.ts';
import { type Dependencies, newId } from './dependencies.ts';

export interface TokenWish {
  readonly label?: string | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** A token that was just made: its text is shown once and stored nowhere. */
export interface FreshToken {
  readonly text: string;
  readonly stored: NewToken;
}

export function makeToken(
  deps: Dependencies,
  wish: TokenWish = {},
  text = newTokenText(deps),
): FreshToken {
  return {
    text,
    stored: {
      id: newId(deps),
      digest: digestToken(text),
      hint: tokenHint(text),
      label: wish.label ?? '',
      expiresAt: wish.expiresAt ?? undefined,
    },
  };
}

export function newTokenText(deps: Pick<Dependencies, 'randomBytes'>): string {
  return formatToken(deps.randomBytes(TOKEN_RANDOM_BYTES));
}

export async function issueToken(
  deps: Dependencies,
  act: Act,
  accountId: string,
  wish: TokenWish,
): Promise<{ readonly text: string; readonly token: Token }> {
  const fresh = makeToken(deps, wish);
  const { tokens: limit } = deps.accountLimits;
  const token = await deps.store.tokens.issue(accountId, fresh.stored, act, limit);
  if (token === 'unknown-account') throw new Problem('unknown_account');
  if (token === 'too-many') throw new Problem('too_many_tokens', { words: { limit } });
  return { text: fresh.text, token };
}
