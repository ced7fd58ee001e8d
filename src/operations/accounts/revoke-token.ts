import { Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Token } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface RevokeOptions {
  /** The account that must own the token; `undefined` for any. */
  readonly ofAccount?: string | undefined;
  /** Whether to revoke the tokens that it issued too, and those that they issued. */
  readonly issued?: boolean | undefined;
}

/** Revokes a token. The next request with it is refused. */
export async function revokeToken(
  deps: Dependencies,
  audit: AuditContext,
  id: string,
  options: RevokeOptions = {},
): Promise<Token> {
  const { ofAccount, issued } = options;
  const token = await deps.store.tokens.revoke(id, ofAccount, audit, { issued });
  if (token === 'absent') throw new Problem('unknown_token');
  return token;
}
