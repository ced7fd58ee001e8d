import { sql } from 'kysely';
import {
  type AdministrationState,
  endsAdministration,
  isOutOfUse,
} from '../../../domain/accounts/administrators.ts';
import { ownedFeeds, UNCLAIMED } from '../../../domain/services/unclaimed.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Authority, Refusal } from '../../../ports/authority.ts';
import type { Account, AccountChanges, Lockout, OwnershipRefusal } from '../../../ports/store.ts';
import type { AccountRow } from '../../schema/tables.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockAccounts } from '../../units/locks.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import {
  type AccountValues,
  areServices,
  findAccount,
  insertOwned,
  ownedBy,
  rateColumns,
  selectAccount,
} from './accounts.ts';
import { hasAdministrator } from './administrators.ts';
import { refusalsOf } from './permission.ts';
import { endForGood } from './sessions.ts';

const updateAccount = query<Omit<AccountValues, 'name_key'> & { topUp: number }>()(
  (db, parameter) =>
    db
      .updateTable('account')
      .set(all(parameter, ['roles', 'quota_limit', 'quota_period', 'disabled', 'expires_at']))
      .set(all(parameter, ['creates_per_minute', 'creates_burst']))
      // A new period starts unused: its windows cannot be compared with those of the old period.
      .set({
        quota_used: sql<number>`case when quota_period = ${parameter.quota_period} then quota_used else 0 end`,
        quota_window: sql<string>`case when quota_period = ${parameter.quota_period} then quota_window else '' end`,
      })
      // Added in the statement, so that concurrent lookups are not lost.
      .set((column) => ({ quota_extra: column('quota_extra', '+', parameter.topUp) }))
      .where('id', '=', parameter.id),
);

const selectLocked = query<{ id: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('account')
    .select('id')
    .where('id', '=', parameter.id)
    .$if(dialect === 'postgres', (account) => account.forNoKeyUpdate()),
);

const deleteOwned = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('account_service').where('account_id', '=', parameter.id),
);

type Refused = Lockout | { readonly refusal: Refusal };

/**
 * `by`: the administrator. That account is locked too, so that of two administrators who end each
 * other only one succeeds, and one is left.
 */
export function* changeAccount(
  idOrName: string,
  changes: AccountChanges,
  audit: AuditContext,
  by?: Authority,
): UnitOfWork<Account | 'absent' | OwnershipRefusal | Refused> {
  const named = yield* row(selectAccount, { idOrName });
  if (named === undefined) return 'absent';
  const { id } = named;
  // Waits for writes that hold these rights, and blocks new ones until the commit.
  yield* lockAccounts(by === undefined ? [id] : [id, by.accountId]);
  const refusal = by && (yield* refusalsOf([by], { role: 'admin', now: audit.at }))[0];
  if (refusal !== undefined) return { refusal };
  yield* rows(selectLocked, { id });
  const found = yield* row(selectAccount, { idOrName: id });
  if (found === undefined) return 'absent';
  const changed = withChanges(found, changes);
  const lockout = by?.accountId === id ? yield* lockoutOf(found, changed, audit.at) : undefined;
  if (lockout !== undefined) return lockout;
  const unowned = yield* replaceOwned(changed, changes);
  if (unowned !== undefined) return unowned;
  yield* rows(updateAccount, { ...changed, topUp: changes.topUp ?? 0 });
  // A change that enables an account ends them too: an older version kept them, and a link may
  // have been added.
  const ended = isOutOfUse(stateOf(found), stateOf(changed), audit.at)
    ? yield* endForGood(id)
    : undefined;
  yield* writeAudit(audit, 'account.change', found.name, { ...changes, ...(ended && { ended }) });
  return (yield* findAccount(id, audit.at)) ?? 'absent';
}

/** Roles decide who owns `unclaimed`, so a change of the roles replaces the services too. */
function* replaceOwned(
  { id, roles }: AccountValues,
  changes: AccountChanges,
): UnitOfWork<OwnershipRefusal | undefined> {
  if (changes.services === undefined && changes.roles === undefined) return undefined;
  const given = changes.services ?? (yield* ownedBy(id)).filter((slug) => slug !== UNCLAIMED);
  const services = ownedFeeds(given, JSON.parse(roles));
  if (services === 'needs-role') return services;
  if (!(yield* areServices(services))) return 'unknown-service';
  yield* rows(deleteOwned, { id });
  for (const slug of services) yield* rows(insertOwned, { id, slug });
  return undefined;
}

/** Why administrators may not make this change to their own account. */
function* lockoutOf(
  before: AccountValues,
  after: AccountValues,
  at: Date,
): UnitOfWork<Lockout | undefined> {
  if (!endsAdministration(stateOf(before), stateOf(after), at)) return undefined;
  return (yield* hasAdministrator(at, before.id)) ? 'own-account' : 'last-administrator';
}

function stateOf({ roles, disabled, expires_at }: AccountValues): AdministrationState {
  return {
    roles: JSON.parse(roles),
    disabled: disabled !== 0,
    expiresAt: expires_at === null ? undefined : new Date(expires_at),
  };
}

function withChanges(row: AccountRow, changes: AccountChanges): AccountValues {
  const { roles, quota, createRate, disabled, expiresAt } = changes;
  return {
    ...row,
    ...(roles && { roles: JSON.stringify(roles) }),
    ...(quota?.limit !== undefined && { quota_limit: quota.limit }),
    ...(quota?.period !== undefined && { quota_period: quota.period }),
    ...(createRate !== undefined && rateColumns(createRate)),
    ...(disabled !== undefined && { disabled: Number(disabled) }),
    ...(expiresAt !== undefined && { expires_at: expiresAt?.toISOString() ?? null }),
  };
}
