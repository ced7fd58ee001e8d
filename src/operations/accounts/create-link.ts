import type { Caller } from '../../domain/accounts/caller.ts';
import { type LinkPurpose, linkExpiry } from '../../domain/accounts/session.ts';
import { digestToken, formatSecret, TOKEN_RANDOM_BYTES } from '../../domain/accounts/token.ts';
import { Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import { type Dependencies, newId } from '../dependencies.ts';
import { permissionProblem } from '../permission.ts';

export interface LinkRequest {
  readonly purpose?: LinkPurpose | undefined;
  /** The administrator who creates it; absent on the command line. */
  readonly by?: Caller | undefined;
}

export interface SignInLink {
  /** With the secret, which is shown once and never stored. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** Creates a link that signs a browser in as the account, once. */
export async function createLink(
  deps: Dependencies,
  audit: AuditContext,
  accountId: string,
  { purpose = 'sign-in', by }: LinkRequest = {},
): Promise<SignInLink> {
  const secret = formatSecret('link', deps.randomBytes(TOKEN_RANDOM_BYTES));
  const expiresAt = linkExpiry(audit.at, purpose);
  const link = { id: newId(deps), digest: digestToken(secret), purpose, expiresAt };
  const outcome = await deps.store.sessions.addLink(accountId, link, audit, by);
  if (outcome === 'unknown-account') throw new Problem('unknown_account');
  if (outcome !== 'added') throw permissionProblem(outcome.refusal, 'admin');
  return { url: deps.welcomePage(secret), expiresAt };
}
