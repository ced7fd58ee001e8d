import type { CreateRate } from '../../../domain/accounts/account-limits.ts';
import { accountNameKey } from '../../../domain/accounts/account-name.ts';
import { quotaBalance } from '../../../domain/accounts/quota.ts';
import { ownedFeeds } from '../../../domain/services/unclaimed.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type {
  Account,
  AccountPage,
  NameTaken,
  NewAccount,
  NewToken,
  OwnershipRefusal,
} from '../../../ports/store.ts';
import type { AccountRow } from '../../schema/tables.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockTask } from '../../units/locks.ts';
import { all, ONE, query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { holderOf } from './account-names.ts';
import { toQuotaUse } from './quota.ts';
import { insertTokenOf } from './tokens.ts';

const COLUMNS = [
  'id',
  'name',
  'roles',
  'quota_limit',
  'quota_period',
  'quota_extra',
  'creates_per_minute',
  'creates_burst',
  'disabled',
  'expires_at',
  'created_at',
  'name_key',
] as const;
export type AccountValues = Pick<AccountRow, (typeof COLUMNS)[number]>;

const insertAccount = query<AccountValues>()((db, parameter) =>
  db
    .insertInto('account')
    .values(all(parameter, COLUMNS))
    // Both the name and its key are unique.
    .onConflict((conflict) => conflict.doNothing())
    .returning('id'),
);

const selectPage = query<{ after: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('account')
    .selectAll()
    .where('name', '>', parameter.after)
    .orderBy('name')
    .limit(parameter.limit),
);

const selectAny = query()((db) => db.selectFrom('account').select('id').limit(ONE));

export const selectAccount = query<{ idOrName: string }>()((db, parameter) =>
  db
    .selectFrom('account')
    .selectAll()
    .where((where) =>
      where.or([where('id', '=', parameter.idOrName), where('name', '=', parameter.idOrName)]),
    ),
);

const selectOwned = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('account_service')
    // A subquery: for a join, a planner may read the accounts of each service.
    .select(({ selectFrom }) =>
      selectFrom('service')
        .select('service.slug')
        .whereRef('service.id', '=', 'account_service.service_id')
        .as('slug'),
    )
    .where('account_service.account_id', '=', parameter.id)
    // The service exists: the row refers to it.
    .$castTo<{ slug: string }>(),
);

export const insertOwned = query<{ id: string; slug: string }>()((db, parameter) =>
  db
    .insertInto('account_service')
    .columns(['account_id', 'service_id'])
    .expression((from) =>
      from
        .selectFrom('service')
        .select((select) => [select.val(parameter.id).as('account_id'), 'service.id as service_id'])
        .where('slug', '=', parameter.slug),
    )
    .returning('service_id'),
);

export function* addAccount(
  account: NewAccount,
  token: NewToken,
  audit: AuditContext,
): UnitOfWork<Account | NameTaken | OwnershipRefusal> {
  const services = ownedFeeds(account.services, account.roles);
  if (services === 'needs-role') return services;
  if (!(yield* areServices(services))) return 'unknown-service';
  const values = toRow(account, audit.at);
  if ((yield* row(insertAccount, values)) === undefined)
    return { takenBy: (yield* holderOf(account.name)) ?? account.name };
  for (const slug of services) yield* rows(insertOwned, { id: account.id, slug });
  yield* insertTokenOf(account.id, token, audit);
  const { id, roles, quota, createRate } = account;
  yield* writeAudit(audit, 'account.add', account.name, {
    ...{ id, roles, services, quota },
    ...(createRate !== undefined && { createRate }),
  });
  return fromRow({ ...values, quota_used: 0, quota_window: '' }, services, audit.at);
}

export function* addFirstAccount(
  account: NewAccount,
  token: NewToken,
  audit: AuditContext,
): UnitOfWork<boolean> {
  yield* lockTask('first account');
  if ((yield* row(selectAny, {})) !== undefined) return false;
  yield* addAccount(account, token, audit);
  return true;
}

export function* findAccount(idOrName: string, now: Date): UnitOfWork<Account | undefined> {
  const found = yield* row(selectAccount, { idOrName });
  if (found === undefined) return undefined;
  return fromRow(found, yield* ownedBy(found.id), now);
}

export function* listAccounts(
  { after = '', limit }: AccountPage,
  now: Date,
): UnitOfWork<readonly Account[]> {
  const found = yield* rows(selectPage, { after, limit });
  // One statement for all accounts on PostgreSQL.
  const owned = yield* each(
    selectOwned,
    found.map(({ id }) => ({ id })),
  );
  return found.map((account, index) => fromRow(account, slugsOf(owned[index] ?? []), now));
}

export function* ownedBy(id: string): UnitOfWork<readonly string[]> {
  return slugsOf(yield* rows(selectOwned, { id }));
}

function slugsOf(owned: readonly { readonly slug: string }[]): readonly string[] {
  return owned.map(({ slug }) => slug).sort();
}

const selectSlugs = query()((db) => db.selectFrom('service').select('slug'));

export function* areServices(slugs: readonly string[]): UnitOfWork<boolean> {
  const known = new Set((yield* rows(selectSlugs, {})).map(({ slug }) => slug));
  return slugs.every((slug) => known.has(slug));
}

function toRow(account: NewAccount, now: Date): AccountValues {
  return {
    id: account.id,
    name: account.name,
    roles: JSON.stringify(account.roles),
    quota_limit: account.quota.limit,
    quota_period: account.quota.period,
    quota_extra: 0,
    ...rateColumns(account.createRate),
    disabled: 0,
    expires_at: account.expiresAt?.toISOString() ?? null,
    created_at: now.toISOString(),
    name_key: accountNameKey(account.name),
  };
}

export function rateColumns(rate: CreateRate | null | undefined) {
  return { creates_per_minute: rate?.perMinute ?? null, creates_burst: rate?.burst ?? null };
}

export function createRateOf(
  row: Pick<AccountRow, 'creates_per_minute' | 'creates_burst'>,
): CreateRate | undefined {
  const { creates_per_minute: perMinute, creates_burst: burst } = row;
  return perMinute === null || burst === null ? undefined : { perMinute, burst };
}

type ShownColumns = Omit<
  AccountRow,
  | 'quota_from_extra'
  | 'usage_day'
  | 'usage_units'
  | 'closed_day'
  | 'closed_units'
  | 'itemised_after'
  | 'name_key'
>;

function fromRow(row: ShownColumns, services: readonly string[], now: Date): Account {
  return {
    id: row.id,
    name: row.name,
    roles: JSON.parse(row.roles),
    services,
    quota: quotaBalance(toQuotaUse(row), now),
    createRate: createRateOf(row),
    disabled: row.disabled !== 0,
    expiresAt: row.expires_at === null ? undefined : new Date(row.expires_at),
    createdAt: new Date(row.created_at),
  };
}
