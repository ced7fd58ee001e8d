import { sql } from 'kysely';
import { UNCLAIMED } from '../../domain/services/unclaimed.ts';
import { rows } from '../units/unit-of-work.ts';
import { forbiddenRows, forbiddenRowsCheck, pagedCheck, statement } from './check.ts';

const PAGE = 1000;

interface QuotaRow {
  readonly id: string;
  readonly name: string;
  readonly quota_limit: number | null;
  readonly quota_period: string;
  readonly quota_used: number;
  readonly quota_window: string;
  readonly quota_extra: number;
}

const selectQuotas = statement<QuotaRow, { after: string; limit: number }>(
  (parameter) => sql`
    select id, name, quota_limit, quota_period, quota_used, quota_window, quota_extra from account
    where id > ${parameter.after} order by id limit ${parameter.limit}`,
);

/** The names of windows by period. An account that has not spent any units has an empty one. */
const WINDOWS: Readonly<Record<string, RegExp>> = {
  day: /^(?:[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01]))?$/,
  month: /^(?:[0-9]{4}-(?:0[1-9]|1[0-2]))?$/,
  none: /^$/,
};

export const quotas = pagedCheck('quotas of accounts', {
  page: (after) => rows(selectQuotas, { after: String(after ?? ''), limit: PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(found) {
    return found.flatMap((account) =>
      findingsOf(account).map((finding) => `account ${account.id} ${account.name}: ${finding}`),
    );
  },
});

/** An account without uploads and submissions has no row in `account_usage`, or 0 bytes. */
export const storedBytes = forbiddenRowsCheck('stored bytes of accounts', [
  forbiddenRows(
    'account, with another number of bytes than its samples have',
    () => sql`
      select account.id, coalesce(account_usage.stored_bytes, 0) as counted,
        coalesce(stored.bytes, 0) as bytes
      from account
      left join account_usage on account_usage.account_id = account.id
      left join (
        select uploaded_by, sum(size_bytes) as bytes from upload group by uploaded_by
      ) as stored on stored.uploaded_by = account.id
      where coalesce(account_usage.stored_bytes, 0) <> coalesce(stored.bytes, 0)`,
  ),
  forbiddenRows(
    'account, with another number of bytes than the statuses of its submissions have',
    () => sql`
      select account.id, coalesce(account_usage.status_bytes, 0) as counted,
        coalesce(kept.bytes, 0) as bytes
      from account
      left join account_usage on account_usage.account_id = account.id
      left join (
        select account_id, sum(size_bytes) as bytes from taxii_status group by account_id
      ) as kept on kept.account_id = account.id
      where coalesce(account_usage.status_bytes, 0) <> coalesce(kept.bytes, 0)`,
  ),
]);

const HAS_DESK_ROLE = sql`(account.roles like '%"admin"%' or account.roles like '%"notices"%')`;

/** Roles decide who owns the feed `unclaimed`. */
export const unclaimedDesk = forbiddenRowsCheck('desk of unclaimed addresses', [
  forbiddenRows(
    'account_service, of unclaimed without a role that owns it',
    () => sql`
      select account.id from service
      inner join account_service on account_service.service_id = service.id
      inner join account on account.id = account_service.account_id
      where service.slug = ${sql.lit(UNCLAIMED)} and not ${HAS_DESK_ROLE}`,
  ),
  forbiddenRows(
    'account, with a role that owns unclaimed, and without it',
    () => sql`
      select account.id from account
      where ${HAS_DESK_ROLE} and not exists (
        select 1 from account_service
        inner join service on service.id = account_service.service_id
        where account_service.account_id = account.id and service.slug = ${sql.lit(UNCLAIMED)}
      )`,
  ),
]);

function findingsOf(account: QuotaRow): readonly string[] {
  const { quota_used: used, quota_extra: extra, quota_limit: limit } = account;
  return [
    ...(isCount(used) ? [] : [`${used} units were used`]),
    ...(isCount(extra) ? [] : [`${extra} units are left of those added`]),
    ...(limit === null || isCount(limit) ? [] : [`its limit is ${limit}`]),
    ...(WINDOWS[account.quota_period]?.test(account.quota_window) === true
      ? []
      : [
          `its window ${JSON.stringify(account.quota_window)} is not the name of a ${account.quota_period}`,
        ]),
  ];
}

function isCount(units: number): boolean {
  return Number.isSafeInteger(units) && units >= 0;
}
