import type { CreateRate } from '../../domain/accounts/account-limits.ts';
import { type Caller, issuerOf, type Role } from '../../domain/accounts/caller.ts';
import { DEFAULT_QUOTA, type QuotaPolicy } from '../../domain/accounts/quota.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import type { Account, OwnershipRefusal } from '../../ports/store.ts';
import { type Dependencies, newId } from '../dependencies.ts';
import { makeToken } from './issue-token.ts';

export interface AccountRequest {
  readonly name: string;
  readonly roles?: readonly Role[] | undefined;
  readonly services?: readonly string[] | undefined;
  readonly quota?: QuotaPolicy | undefined;
  readonly createRate?: CreateRate | null | undefined;
  readonly expiresAt?: Date | null | undefined;
  /** The administrator who adds the account; absent on the command line. */
  readonly by?: Caller | undefined;
}

/** Accounts whose names are compared for the first time, in one transaction. */
const NAMES_PER_SLICE = 500;

/** Creates an account and its first token. */
export async function addAccount(
  deps: Dependencies,
  audit: AuditContext,
  request: AccountRequest,
): Promise<{ readonly account: Account; readonly token: string }> {
  const token = makeToken(deps, { issuer: request.by && issuerOf(request.by) });
  // Accounts that an older version has added have no key of their name yet.
  while ((await deps.store.accounts.keyNames(NAMES_PER_SLICE)) > 0);
  const account = await deps.store.accounts.add(newAccount(deps, request), token.stored, audit);
  if (typeof account === 'string') throw ownershipProblem(account);
  if ('takenBy' in account)
    throw new Problem('account_exists', { parameters: { name: account.takenBy } });
  return { account, token: token.text };
}

/** Creates the account `admin` with that token. Returns `false` if the store has an account. */
export async function addFirstAdmin(deps: Dependencies, text: string): Promise<boolean> {
  const token = makeToken(deps, { label: 'first start' }, text);
  const account = newAccount(deps, { name: 'admin', roles: ['admin'] });
  return deps.store.accounts.addFirst(account, token.stored, {
    actor: 'first start',
    at: deps.now(),
  });
}

export function ownershipProblem(refusal: OwnershipRefusal): Problem {
  return invalid('invalid_body', [
    refusal === 'unknown-service'
      ? 'services must name services that exist.'
      : 'services must not name unclaimed: accounts with the role admin or notices own that feed.',
  ]);
}

function newAccount(deps: Dependencies, request: AccountRequest) {
  return {
    id: newId(deps),
    name: request.name,
    roles: [...new Set(request.roles ?? [])],
    services: request.services ?? [],
    quota: request.quota ?? DEFAULT_QUOTA,
    createRate: request.createRate ?? undefined,
    expiresAt: request.expiresAt ?? undefined,
  };
}
