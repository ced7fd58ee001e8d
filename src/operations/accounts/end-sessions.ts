import { digestToken, isSecret } from '../../domain/accounts/token.ts';
import { Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { EndedSessions, EndOptions } from '../../ports/session-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Ends a session. The next request with it is refused. */
export async function signOut(deps: Pick<Dependencies, 'store'>, secret: string): Promise<void> {
  if (isSecret('session', secret)) await deps.store.sessions.end(digestToken(secret));
}

/** Ends all sessions of an account and invalidates its sign-in links; tokens, if `issued`. */
export async function endSessions(
  deps: Pick<Dependencies, 'store'>,
  audit: AuditContext,
  accountId: string,
  options: EndOptions = {},
): Promise<EndedSessions> {
  const ended = await deps.store.sessions.endAll(accountId, audit, options);
  if (ended === 'unknown-account') throw new Problem('unknown_account');
  return ended;
}
