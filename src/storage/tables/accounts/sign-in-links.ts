import { isLive } from '../../../domain/accounts/caller.ts';
import { MAX_LINKS } from '../../../domain/accounts/session.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Authority, Refusal } from '../../../ports/authority.ts';
import type { NewLink } from '../../../ports/session-store.ts';
import type { SignInLinkTable } from '../../schema/session-tables.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockAccounts } from '../../units/locks.ts';
import { all, query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { checkRights } from './permission.ts';

const COLUMNS = ['id', 'account_id', 'digest', 'purpose', 'created_at', 'expires_at'] as const;

const insertLink = query<SignInLinkTable>()((db, parameter) =>
  db.insertInto('sign_in_link').values(all(parameter, COLUMNS)),
);

const selectByDigest = query<{ digest: Uint8Array }>()((db, parameter) =>
  db.selectFrom('sign_in_link').selectAll().where('digest', '=', parameter.digest),
);

const selectAccount = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('account')
    .select(['name', 'disabled', 'expires_at'])
    .where('id', '=', parameter.id),
);

/** Newest first: ids are in the order of their times. */
const selectOfAccount = query<{ accountId: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sign_in_link')
    .select('id')
    .where('account_id', '=', parameter.accountId)
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(parameter.limit),
);

/** Returns the row to one caller only: a link is spent once. */
const takeById = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('sign_in_link').where('id', '=', parameter.id).returning('id'),
);

const deleteById = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('sign_in_link').where('id', '=', parameter.id),
);

const deleteOfAccount = query<{ accountId: string }>()((db, parameter) =>
  db.deleteFrom('sign_in_link').where('account_id', '=', parameter.accountId).returning('id'),
);

const selectExpired = query<{ before: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sign_in_link')
    .select('id')
    .where('expires_at', '<', parameter.before)
    .orderBy('expires_at')
    .limit(parameter.limit),
);

export function* addLink(
  accountId: string,
  { id, digest, purpose, expiresAt }: NewLink,
  audit: AuditContext,
  by: Authority | undefined,
): UnitOfWork<'added' | 'unknown-account' | { readonly refusal: Refusal }> {
  const refusal = by && (yield* checkRights(by, { role: 'admin', now: audit.at }));
  if (refusal !== undefined) return { refusal };
  const account = yield* row(selectAccount, { id: accountId });
  if (account === undefined) return 'unknown-account';
  const stored = yield* rows(selectOfAccount, { accountId, limit: MAX_LINKS + 1 });
  yield* each(deleteById, stored.slice(MAX_LINKS - 1));
  const expires_at = expiresAt.toISOString();
  yield* rows(insertLink, {
    id,
    account_id: accountId,
    digest,
    purpose,
    created_at: audit.at.toISOString(),
    expires_at,
  });
  yield* writeAudit(audit, 'link.add', account.name, { id, purpose, expiresAt: expires_at });
  return 'added';
}

/** Returns the account of a valid link, once. Leaves the account locked. */
export function* spendLink(digest: Uint8Array, at: Date): UnitOfWork<string | undefined> {
  const link = yield* row(selectByDigest, { digest });
  if (link === undefined || new Date(link.expires_at) <= at) return undefined;
  const { id, account_id: accountId, purpose } = link;
  // Waits for a change of the account, such as its disabling.
  yield* lockAccounts([accountId]);
  const account = yield* row(selectAccount, { id: accountId });
  if (account === undefined || !isLiveAccount(account, at)) return undefined;
  if ((yield* row(takeById, { id })) === undefined) return undefined;
  yield* writeAudit({ actor: account.name, at }, 'link.use', account.name, { id, purpose });
  return accountId;
}

function isLiveAccount(
  { disabled, expires_at }: { readonly disabled: number; readonly expires_at: string | null },
  at: Date,
): boolean {
  const expiresAt = expires_at === null ? undefined : new Date(expires_at);
  return isLive({ disabled: disabled !== 0, revoked: false, expiresAt }, at);
}

/** Returns the number of links. */
export function* deleteLinksOf(accountId: string): UnitOfWork<number> {
  return (yield* rows(deleteOfAccount, { accountId })).length;
}

/** Returns the number of links found. */
export function* deleteExpiredLinks(before: Date, limit: number): UnitOfWork<number> {
  const expired = yield* rows(selectExpired, { before: before.toISOString(), limit });
  yield* each(deleteById, expired);
  return expired.length;
}
