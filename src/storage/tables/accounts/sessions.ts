import { sql } from 'kysely';
import { MAX_SESSIONS, sessionExpiry } from '../../../domain/accounts/session.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Authority, Refusal } from '../../../ports/authority.ts';
import type { EndedSessions, EndOptions, NewSession } from '../../../ports/session-store.ts';
import type { SessionTable } from '../../schema/session-tables.ts';
import { accessChanged } from '../../units/access-version.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockAccounts } from '../../units/locks.ts';
import { all, query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { refusalsOf } from './permission.ts';
import { selectTokenState } from './session-grants.ts';
import { deleteLinksOf, spendLink } from './sign-in-links.ts';
import { revokeIssuedInSessions } from './token-revocation.ts';

const COLUMNS = ['id', 'account_id', 'digest', 'token_id', 'created_at', 'expires_at'] as const;

const insertSession = query<SessionTable>()((db, parameter) =>
  db.insertInto('session').values(all(parameter, COLUMNS)),
);

const selectAccount = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('account').select('name').where('id', '=', parameter.id),
);

/** Newest first: ids are in the order of their times. */
const selectOfAccount = query<{ accountId: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('session')
    .select('id')
    .where('account_id', '=', parameter.accountId)
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(parameter.limit),
);

const deleteById = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('session').where('id', '=', parameter.id),
);

const deleteByDigest = query<{ digest: Uint8Array }>()((db, parameter) =>
  db.deleteFrom('session').where('digest', '=', parameter.digest).returning('id'),
);

const deleteOfAccount = query<{ accountId: string }>()((db, parameter) =>
  db.deleteFrom('session').where('account_id', '=', parameter.accountId).returning('id'),
);

/** No clock is before the creation of a session. */
const expireOfAccount = query<{ accountId: string }>()((db, parameter) =>
  db
    .updateTable('session')
    .set({ expires_at: sql<string>`created_at` })
    .where('account_id', '=', parameter.accountId)
    .returning('id'),
);

const selectExpired = query<{ before: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('session')
    .select('id')
    .where('expires_at', '<', parameter.before)
    .orderBy('expires_at')
    .limit(parameter.limit),
);

/** Whether the session was started, and whether others have ended: then caches are stale. */
export interface Started<Outcome> {
  readonly outcome: 'started' | Outcome;
  readonly hasEndedOthers: boolean;
}

export function* startSession(
  session: NewSession,
  by: Authority,
  at: Date,
): UnitOfWork<Started<Refusal>> {
  const { accountId, tokenId } = by;
  // Exclusive, so that the limit on sessions is not exceeded.
  yield* lockAccounts([accountId]);
  const [refusal] = yield* refusalsOf([by], { now: at });
  if (refusal !== undefined) return { outcome: refusal, hasEndedOthers: false };
  const expiresAt = (yield* row(selectTokenState, { id: tokenId }))?.expires_at ?? undefined;
  return yield* insertFor(session, {
    accountId,
    tokenId,
    at,
    expiresAt: sessionExpiry(at, expiresAt === undefined ? undefined : new Date(expiresAt)),
  });
}

export function* startWithLink(
  session: NewSession,
  link: Uint8Array,
  at: Date,
): UnitOfWork<Started<'link-invalid'>> {
  const accountId = yield* spendLink(link, at);
  if (accountId === undefined) return { outcome: 'link-invalid', hasEndedOthers: false };
  const expiresAt = sessionExpiry(at, undefined);
  return yield* insertFor(session, { accountId, tokenId: null, at, expiresAt });
}

interface Origin {
  readonly accountId: string;
  readonly tokenId: string | null;
  readonly at: Date;
  readonly expiresAt: Date;
}

function* insertFor(
  { id, digest, replaces }: NewSession,
  { accountId, tokenId, at, expiresAt }: Origin,
): UnitOfWork<Started<never>> {
  const replaced = replaces === undefined ? [] : yield* rows(deleteByDigest, { digest: replaces });
  const stored = yield* rows(selectOfAccount, { accountId, limit: MAX_SESSIONS + 1 });
  const evicted = stored.slice(MAX_SESSIONS - 1);
  yield* each(deleteById, evicted);
  yield* rows(insertSession, {
    id,
    account_id: accountId,
    digest,
    token_id: tokenId,
    created_at: at.toISOString(),
    expires_at: expiresAt.toISOString(),
  });
  const hasEndedOthers = replaced.length + evicted.length > 0;
  if (hasEndedOthers) yield* accessChanged();
  return { outcome: 'started', hasEndedOthers };
}

/** Returns whether there was such a session. */
export function* endSession(digest: Uint8Array): UnitOfWork<boolean> {
  const ended = yield* rows(deleteByDigest, { digest });
  if (ended.length > 0) yield* accessChanged();
  return ended.length > 0;
}

export function* endSessions(
  accountId: string,
  { issued = false, ofAccount }: EndOptions,
  audit: AuditContext,
): UnitOfWork<EndedSessions | 'unknown-account'> {
  yield* lockAccounts([accountId]);
  const account = yield* row(selectAccount, { id: accountId });
  if (account === undefined) return 'unknown-account';
  const { length: sessions } = yield* rows(deleteOfAccount, { accountId });
  const links = yield* deleteLinksOf(accountId);
  const revoked = issued ? yield* revokeIssuedInSessions({ accountId, ofAccount }, audit) : 0;
  const also = issued && { tokens: revoked };
  yield* writeAudit(audit, 'session.end', account.name, { sessions, links, ...also });
  return { ended: sessions, revoked };
}

/**
 * Ends the sessions of an account that is out of use, and its links. The rows of sessions stay for
 * a while, so that the open pages of a browser do not count as attempts with bad tokens. The caller
 * has locked the account. Returns how many there were.
 */
export function* endForGood(accountId: string) {
  const { length: sessions } = yield* rows(expireOfAccount, { accountId });
  return { sessions, links: yield* deleteLinksOf(accountId) };
}

/** Returns the number of sessions found. */
export function* deleteExpiredSessions(before: Date, limit: number): UnitOfWork<number> {
  const expired = yield* rows(selectExpired, { before: before.toISOString(), limit });
  yield* each(deleteById, expired);
  return expired.length;
}
