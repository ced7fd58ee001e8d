import { sql } from 'kysely';
import {
  nextQuotaWindow,
  type QuotaBalance,
  type QuotaPeriod,
  type QuotaUse,
  quotaBalance,
  quotaWindow,
} from '../../../domain/accounts/quota.ts';
import type { ChargedUnits, ChargeKey } from '../../../ports/account-usage.ts';
import type { AccountRow } from '../../schema/tables.ts';
import { compensateWith } from '../../units/effects.ts';
import { query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { closeDay, subtractFromDay } from './account-days.ts';
import { addCharges, subtractCharges } from './charges.ts';

const COLUMNS = [
  'quota_limit',
  'quota_period',
  'quota_used',
  'quota_window',
  'quota_extra',
] as const;
type QuotaColumns = Pick<AccountRow, (typeof COLUMNS)[number]>;

interface Spend {
  id: string;
  units: number;
  /** The names of the current windows; the period of the row decides which applies. */
  day: string;
  month: string;
  /** The windows after them. */
  next_day: string;
  next_month: string;
}

/**
 * Spends all units or none. Test and decrement are one statement, so that two calls never spend the
 * same unit, in any process or node. The units of the window are spent first, then those topped up.
 */
const spendUnits = query<Spend>()((db, parameter) =>
  db
    .updateTable('account')
    .set(() => {
      const { window, used, windowLimit, fits } = quotaTerms(parameter);
      return {
        quota_window: window,
        quota_used: sql<number>`case when ${fits} then ${used} + ${parameter.units} else ${windowLimit} end`,
        quota_extra: sql<number>`case when ${fits} then quota_extra else quota_extra - (${used} + ${parameter.units} - ${windowLimit}) end`,
        quota_from_extra: sql<number>`case when ${fits} then 0 else ${used} + ${parameter.units} - ${windowLimit} end`,
        ...dayColumns(parameter),
      };
    })
    .where('id', '=', parameter.id)
    .where(() => {
      const { used, windowLimit, fits } = quotaTerms(parameter);
      return sql<boolean>`(${fits} or ${used} + ${parameter.units} <= ${windowLimit} + quota_extra)`;
    })
    .returning([...COLUMNS, 'quota_from_extra', 'usage_day', 'closed_day', 'closed_units']),
);

/**
 * Counts the units of the day in the same statement, so that a lookup needs no other. The first
 * units of a new day hand over the count of the day before, which `trySpend` stores. As for
 * windows, the day of a slightly slow clock continues the current one.
 */
function dayColumns({ units, day, next_day }: Spend) {
  const isCurrent = sql<boolean>`usage_day >= ${day} and usage_day <= ${next_day}`;
  return {
    usage_day: sql<string>`case when ${isCurrent} then usage_day else ${day} end`,
    usage_units: sql<number>`case when ${isCurrent} then usage_units + ${units} else ${units} end`,
    closed_day: sql<string>`case when ${isCurrent} then '' else usage_day end`,
    closed_units: sql<number>`case when ${isCurrent} then 0 else usage_units end`,
  };
}

interface Refund {
  id: string;
  window: string;
  day: string;
  ofWindow: number;
  ofExtra: number;
  units: number;
}

/** Units that were spent and not refunded, of the window and of those topped up. */
export interface Charge {
  readonly id: string;
  readonly window: string;
  readonly day: string;
  ofWindow: number;
  ofExtra: number;
  /** What they were charged for, as it is stored. */
  entries: readonly ChargedUnits[];
}

/**
 * Units of a window that has ended, or that an operator has reset, are not refunded. Those of a day
 * that has ended, all of them, or some because a clock was wrong, are returned in
 * `closed_units`: they are counted in `account_day`.
 */
const returnUnits = query<Refund>()((db, parameter) =>
  db
    .updateTable('account')
    .set({
      quota_used: sql<number>`case when quota_window = ${parameter.window} and quota_used >= ${parameter.ofWindow} then quota_used - ${parameter.ofWindow} else quota_used end`,
      quota_extra: sql<number>`quota_extra + ${parameter.ofExtra}`,
      usage_units: sql<number>`case when usage_day <> ${parameter.day} then usage_units when usage_units >= ${parameter.units} then usage_units - ${parameter.units} else 0 end`,
      closed_units: sql<number>`case when usage_day <> ${parameter.day} then ${parameter.units} when usage_units >= ${parameter.units} then 0 else ${parameter.units} - usage_units end`,
    })
    .where('id', '=', parameter.id)
    .returning('closed_units'),
);

/** Refunds units of a charge that are not itemised yet. */
export function* refundUnits(charge: Charge, units: number): UnitOfWork<void> {
  const { id, window, day } = charge;
  const ofExtra = Math.min(units, charge.ofExtra);
  const ofWindow = Math.min(units - ofExtra, charge.ofWindow);
  const refunded = { id, window, day, ofWindow, ofExtra, units: ofWindow + ofExtra };
  const closed = (yield* row(returnUnits, refunded))?.closed_units ?? 0;
  if (closed > 0) yield* subtractFromDay({ account_id: id, day, units: closed });
  charge.ofExtra -= ofExtra;
  charge.ofWindow -= ofWindow;
}

/** Refunds a charge that was committed. */
export function* refund(charge: Charge): UnitOfWork<void> {
  yield* refundUnits(charge, charge.ofWindow + charge.ofExtra);
  yield* subtractCharges(charge);
}

function quotaTerms(parameter: Spend) {
  const window = sql<string>`(case quota_period when 'day' then ${parameter.day} when 'month' then ${parameter.month} else '' end)`;
  // Only a later window starts unused: a clock that is set back, or that of a slow node, refills
  // nothing.
  const used = sql<number>`case when quota_window >= ${window} then quota_used else 0 end`;
  // The next window may come from a clock that is slightly ahead. A later one comes from a wrong
  // clock: the units used then count in the current window, and the next window starts on time.
  const next = sql<string>`(case quota_period when 'day' then ${parameter.next_day} when 'month' then ${parameter.next_month} else quota_window end)`;
  return {
    window: sql<string>`case when quota_window > ${window} and quota_window <= ${next} then quota_window else ${window} end`,
    used: sql<number>`(${used})`,
    /** The units used when the window is exhausted; more than the limit if that was lowered. */
    windowLimit: sql<number>`(case when (${used}) > quota_limit then (${used}) else quota_limit end)`,
    fits: sql<boolean>`(quota_limit is null or (${used}) + ${parameter.units} <= quota_limit)`,
  };
}

const moveWindow = query<{ id: string; window: string; next: string }>()((db, parameter) =>
  db
    .updateTable('account')
    .set({ quota_window: parameter.window })
    .where('id', '=', parameter.id)
    .where('quota_window', '>', parameter.next),
);

const selectQuota = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('account').select(COLUMNS).where('id', '=', parameter.id),
);

export interface Spent {
  readonly units: number;
  readonly balance: QuotaBalance;
  /** `undefined` if no units were spent. */
  readonly charge?: Charge;
}

/**
 * A concurrent call may spend the units that were just read as remaining, or top up between a
 * refusal and reading what remains; then this one retries.
 */
const MAX_ATTEMPTS = 100;

export interface SpendRequest {
  readonly id: string;
  readonly units: number;
}

/**
 * Spends the requested units of each account, or as many as remain. One statement for all accounts
 * that have enough. The caller sets the entries of the charges and passes them to `addCharges`.
 */
export function* spendEach(
  requests: readonly SpendRequest[],
  now: Date,
): UnitOfWork<readonly Spent[]> {
  const found = yield* each(
    spendUnits,
    requests.map((request) => spendOf(request, now)),
  );
  const spent: Spent[] = [];
  for (const [index, request] of requests.entries()) {
    const updated = found[index]?.[0];
    spent.push(
      updated === undefined
        ? yield* spendRemaining(request, now)
        : yield* toSpent(request, updated, now),
    );
  }
  return spent;
}

/** After there were too few. */
function* spendRemaining({ id, units: requested }: SpendRequest, now: Date): UnitOfWork<Spent> {
  let units = requested;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const balance = yield* balanceOf(id, now);
    if (balance.remaining === 0) return { units: 0, balance };
    units = Math.min(units, balance.remaining ?? units);
    const spent = yield* trySpend({ id, units }, now);
    if (spent !== undefined) return spent;
  }
  throw new Error('the remaining units of a quota could not be spent');
}

export interface Purchase extends ChargeKey {
  readonly accountId: string;
  readonly units: number;
}

/** Spends all requested units or none. */
export function* spendAllOrNone(purchase: Purchase, now: Date): UnitOfWork<Spent> {
  const { accountId, tokenId, operation, units } = purchase;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const spent = yield* trySpend({ id: accountId, units }, now);
    if (spent?.charge !== undefined) {
      spent.charge.entries = [{ tokenId, operation, units }];
      yield* addCharges([spent.charge], now);
      return spent;
    }
    const balance = yield* balanceOf(accountId, now);
    if ((balance.remaining ?? units) < units) return { units: 0, balance };
  }
  throw new Error('the remaining units of a quota could not be spent');
}

function* trySpend(request: SpendRequest, now: Date): UnitOfWork<Spent | undefined> {
  const updated = yield* row(spendUnits, spendOf(request, now));
  return updated && (yield* toSpent(request, updated, now));
}

function spendOf({ id, units }: SpendRequest, now: Date): Spend {
  return {
    id,
    units,
    day: quotaWindow('day', now),
    month: quotaWindow('month', now),
    next_day: nextQuotaWindow('day', now),
    next_month: nextQuotaWindow('month', now),
  };
}

type SpentRow = QuotaColumns &
  Pick<AccountRow, 'quota_from_extra' | 'usage_day' | 'closed_day' | 'closed_units'>;

function* toSpent({ id, units }: SpendRequest, spent: SpentRow, now: Date): UnitOfWork<Spent> {
  const { quota_window: window, quota_from_extra: ofExtra, usage_day, closed_day } = spent;
  if (closed_day !== '')
    yield* closeDay({ account_id: id, day: closed_day, units: spent.closed_units });
  const charge: Charge = {
    id,
    window,
    day: usage_day,
    ofWindow: units - ofExtra,
    ofExtra,
    entries: [],
  };
  yield* compensateWith(() => refund({ ...charge }));
  return { units, balance: quotaBalance(toQuotaUse(spent), now), charge };
}

function* balanceOf(id: string, now: Date): UnitOfWork<QuotaBalance> {
  const found = yield* row(selectQuota, { id });
  if (found === undefined) throw new Error('a lookup was made for an account that does not exist');
  const use = toQuotaUse(found);
  const next = nextQuotaWindow(use.period, now);
  // A window of a wrong clock. Without this update calls would be refused until that window starts.
  if (next !== '' && use.window > next)
    yield* rows(moveWindow, { id, window: quotaWindow(use.period, now), next });
  return quotaBalance(use, now);
}

export function toQuotaUse(row: QuotaColumns): QuotaUse {
  return {
    limit: row.quota_limit,
    // The column's check allows no other.
    period: row.quota_period as QuotaPeriod,
    used: row.quota_used,
    window: row.quota_window,
    extra: row.quota_extra,
  };
}
