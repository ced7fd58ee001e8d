import { sql } from 'kysely';
import { isLive, type Role } from '../../../domain/accounts/caller.ts';
import { roleMissing } from '../../../domain/accounts/require-role.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Authority, Refusal } from '../../../ports/authority.ts';
import { lockAccounts } from '../../units/locks.ts';
import { query } from '../../units/query.ts';
import { each, row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { type GrantRow, sessionGrants } from './session-grants.ts';

const selectGrant = query<{ tokenId: string; accountId: string }>()((db, parameter) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .select([
      'token.revoked_at',
      'token.expires_at as token_expires_at',
      'account.roles',
      'account.disabled',
      'account.expires_at as account_expires_at',
    ])
    .where('token.id', '=', parameter.tokenId)
    .where('token.account_id', '=', parameter.accountId),
);

const selectOwnership = query<{ accountId: string; slug: string }>()((db, parameter) =>
  db
    .selectFrom('service')
    .innerJoin('account_service', 'account_service.service_id', 'service.id')
    .select('service.id')
    .where('service.slug', '=', parameter.slug)
    .where('account_service.account_id', '=', parameter.accountId),
);

/** The requirements of a write besides a valid token. */
export interface Requirement {
  readonly role?: Role;
  readonly now: Date;
}

/**
 * Locks the rights of these accounts until the commit: a change of them waits, so the result of the
 * check that follows holds when the write is committed. It is the first step of a unit.
 */
export function lockRights(authorities: readonly Authority[]): UnitOfWork<void> {
  return lockAccounts([...new Set(authorities.map(({ accountId }) => accountId))], {
    isShared: true,
  });
}

/** For each authority why it may not write, in order; after `lockRights`. */
export function* refusalsOf(
  authorities: readonly Authority[],
  requirement: Requirement,
): UnitOfWork<readonly (Refusal | undefined)[]> {
  const distinct = new Map(authorities.map((one) => [one.tokenId, one]));
  const requested = [...distinct.values()].map(({ tokenId, accountId }) => ({
    tokenId,
    accountId,
  }));
  const found = yield* each(selectGrant, requested);
  // Tokens are never deleted, so an id without a token is that of a session.
  const sessions = requested.filter((_, index) => found[index]?.[0] === undefined);
  const ofSessions = yield* sessionGrants(sessions);
  const refusals = new Map(
    requested.map(({ tokenId }, index) => [
      tokenId,
      refusalOf(found[index]?.[0] ?? ofSessions.get(tokenId), requirement),
    ]),
  );
  return authorities.map(({ tokenId }) => refusals.get(tokenId));
}

/** Locks and checks, for a unit with a single caller. */
export function* checkRights(
  authority: Authority,
  requirement: Requirement,
): UnitOfWork<Refusal | undefined> {
  yield* lockRights([authority]);
  return (yield* refusalsOf([authority], requirement))[0];
}

/** Throws the problem of a caller without permission. */
export function* requireRights(authority: Authority, requirement: Requirement): UnitOfWork<void> {
  const refusal = yield* checkRights(authority, requirement);
  if (refusal === undefined) return;
  const { role } = requirement;
  if (refusal === 'role-missing' && role !== undefined) throw roleMissing(role);
  throw new Problem('token_invalid');
}

/** Whether the account owns the feed; after `lockRights`. */
export function* ownsFeed({ accountId }: Authority, slug: string): UnitOfWork<boolean> {
  return (yield* row(selectOwnership, { accountId, slug })) !== undefined;
}

function refusalOf(grant: GrantRow | undefined, { role, now }: Requirement): Refusal | undefined {
  if (grant === undefined || !isGranted(grant, now)) return 'token-ended';
  const roles: readonly string[] = JSON.parse(grant.roles);
  return role === undefined || roles.includes(role) ? undefined : 'role-missing';
}

function isGranted(grant: GrantRow, now: Date): boolean {
  const expiries = [grant.token_expires_at, grant.account_expires_at].flatMap((at) =>
    at === null ? [] : [new Date(at).getTime()],
  );
  return isLive(
    {
      disabled: grant.disabled !== 0,
      revoked: grant.revoked_at !== null,
      expiresAt: expiries.length === 0 ? undefined : new Date(Math.min(...expiries)),
    },
    now,
  );
}

/** Locks the feed until the commit, so that the reports read are the reports changed. */
export const lockOwnFeed = query<{ slug: string; accountId: string }>()((db, parameter) =>
  db
    .updateTable('service')
    .set({ last_sequence: sql<number>`last_sequence` })
    .where('slug', '=', parameter.slug)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('account_service')
          .select('account_service.account_id')
          .whereRef('account_service.service_id', '=', 'service.id')
          .where('account_service.account_id', '=', parameter.accountId),
      ),
    )
    .returning(['id', 'expire_after_days as expireAfterDays']),
);
