import { Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Token } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface RevokeOptions {
  /** Of any account where none is named. */
  readonly ofAccount?: string | undefined;
  /** Also what was issued with it, and with those. */
  readonly issued?: boolean | undefined;
}

/** Revokes a token. It stops working at the next request. */
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
