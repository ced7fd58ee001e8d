import type { Caller } from '../../domain/accounts/caller.ts';
import {
  digestToken,
  formatToken,
  TOKEN_RANDOM_BYTES,
  tokenHint,
} from '../../domain/accounts/token.ts';
import type { TokenIssuer } from '../../domain/accounts/token-origin.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { NewToken, Token } from '../../ports/store.ts';
import { type Dependencies, newId } from '../dependencies.ts';
import { permissionProblem } from '../permission.ts';

export interface TokenRequest {
  readonly label?: string | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** A new token. Its text is shown once and never stored. */
export interface FreshToken {
  readonly text: string;
  readonly stored: NewToken;
}

export function makeToken(
  deps: Dependencies,
  request: TokenRequest & { readonly issuer?: TokenIssuer | undefined } = {},
  text = newTokenText(deps),
): FreshToken {
  return {
    text,
    stored: {
      id: newId(deps),
      digest: digestToken(text),
      hint: tokenHint(text),
      label: request.label ?? '',
      expiresAt: request.expiresAt ?? undefined,
      issuer: request.issuer,
    },
  };
}

export function newTokenText(deps: Pick<Dependencies, 'randomBytes'>): string {
  return formatToken(deps.randomBytes(TOKEN_RANDOM_BYTES));
}

/**
 * Issues a token for an account: for the caller itself, by an administrator, or by an operator on
 * the command line. If the issuing token belongs to the same account, the new one expires no later.
 */
export async function issueToken(
  deps: Dependencies,
  audit: AuditContext,
  accountId: string,
  { issuer, ...request }: TokenRequest & { readonly issuer?: Caller | undefined },
): Promise<{ readonly text: string; readonly token: Token }> {
  const fresh = makeToken(deps, request);
  const { tokens: maxLive } = deps.accountLimits;
  const token = await deps.store.tokens.issue(accountId, fresh.stored, audit, { issuer, maxLive });
  if (token === 'unknown-account') throw new Problem('unknown_account');
  if (token === 'too-many')
    throw new Problem('too_many_tokens', { parameters: { limit: maxLive } });
  if ('refusal' in token) throw permissionProblem(token.refusal, 'admin');
  if ('outlives' in token) throw outlives(token.outlives, token.limit);
  return { text: fresh.text, token };
}

function outlives(which: 'token' | 'account', limit: Date): Problem {
  const end = limit.toISOString();
  const bound = which === 'token' ? 'the token that issues it' : 'its account';
  return invalid('invalid_body', [
    `expiresAt must not be after ${end}, when ${bound} expires. Leave it out and the token expires at that time.`,
  ]);
}
