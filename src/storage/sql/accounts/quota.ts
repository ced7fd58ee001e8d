import { sql } from 'kysely';
import {
  nextQuotaWindow,
  type QuotaBalance,
  type QuotaPeriod,
  type QuotaUse,
  quotaBalance,
  quotaWindow,
} from '../../../domain/accounts/quota.ts';
import { IN_TRANSACTION } from '../../postgres/in-transaction.ts';
import type { AccountRow } from '../../tables.ts';
import { compensateWith, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';

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
  /** The names of the current windows; the row itself says which of them counts. */
  day: string;
  month: string;
  /** The windows after them. */
  next_day: string;
  next_month: string;
}

/**
 * Takes so many units or none. Test and decrement are one statement: two calls can never spend the same
 * unit, in whatever process or node they run. The window's own units go first, then those topped up.
 */
const spendUnits = query<Spend>()((db, parameter, dialect) =>
  db
    .updateTable('account')
    .set(() => {
      const { window, used, own, fits } = quotaTerms(parameter);
      return {
        quota_window: window,
        quota_used: sql<number>`case when ${fits} then ${used} + ${parameter.units} else ${own} end`,
        quota_extra: sql<number>`case when ${fits} then quota_extra else quota_extra - (${used} + ${parameter.units} - ${own}) end`,
        quota_from_extra: sql<number>`case when ${fits} then 0 else ${used} + ${parameter.units} - ${own} end`,
      };
    })
    .where('id', '=', parameter.id)
    .where(() => {
      const { used, own, fits } = quotaTerms(parameter);
      return sql<boolean>`(${fits} or ${used} + ${parameter.units} <= ${own} + quota_extra)`;
    })
    .$if(dialect === 'postgres', (update) => update.where(sql.raw<boolean>(IN_TRANSACTION)))
    .returning([...COLUMNS, 'quota_from_extra']),
);

interface Refund {
  id: string;
  window: string;
  ofWindow: number;
  ofExtra: number;
}

/** Units that were taken and not given back: so many of the window, so many of those topped up. */
export interface Charge {
  readonly id: string;
  readonly window: string;
  ofWindow: number;
  ofExtra: number;
}

/** Units of a window that is over, or was begun anew by an operator, are worth nothing any more. */
const refundUnits = query<Refund>()((db, parameter) =>
  db
    .updateTable('account')
    .set({
      quota_used: sql<number>`case when quota_window = ${parameter.window} and quota_used >= ${parameter.ofWindow} then quota_used - ${parameter.ofWindow} else quota_used end`,
      quota_extra: sql<number>`quota_extra + ${parameter.ofExtra}`,
    })
    .where('id', '=', parameter.id),
);

/** Gives back so many units of a charge, at most all of them. */
export function* refund(charge: Charge, units = Number.MAX_SAFE_INTEGER): UnitOfWork<void> {
  const { id, window } = charge;
  const ofExtra = Math.min(units, charge.ofExtra);
  const ofWindow = Math.min(units - ofExtra, charge.ofWindow);
  yield* rows(refundUnits, { id, window, ofWindow, ofExtra });
  charge.ofExtra -= ofExtra;
  charge.ofWindow -= ofWindow;
}

function quotaTerms(parameter: Spend) {
  const window = sql<string>`(case quota_period when 'day' then ${parameter.day} when 'month' then ${parameter.month} else '' end)`;
  // Only a later window begins anew: a clock that goes back, or another node's that is behind, refills nothing.
  const used = sql<number>`case when quota_window >= ${window} then quota_used else 0 end`;
  // The next window may be that of a clock that is a little ahead. One beyond it is of a clock that was wrong: what was
  // used counts on in the current window, and the next one begins when it is due.
  const next = sql<string>`(case quota_period when 'day' then ${parameter.next_day} when 'month' then ${parameter.next_month} else quota_window end)`;
  return {
    window: sql<string>`case when quota_window > ${window} and quota_window <= ${next} then quota_window else ${window} end`,
    used: sql<number>`(${used})`,
    /** What the window has had when its own units are gone; more than the limit where that was lowered. */
    own: sql<number>`(case when (${used}) > quota_limit then (${used}) else quota_limit end)`,
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
  /** Where units were taken. */
  readonly charge?: Charge;
}

/** Others may take at the same moment what was just seen to be left; so often it is tried again. */
const MOST_TRIES = 100;

/** So many as are left of those that are wanted. */
export function* spend(id: string, wanted: number, now: Date): UnitOfWork<Spent> {
  let units = wanted;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const taken = yield* take(id, units, now);
    if (taken !== undefined) return taken;
    const left = yield* balanceOf(id, now);
    if (left.remaining === 0) return { units: 0, balance: left };
    units = Math.min(units, left.remaining ?? units);
  }
  throw new Error('what is left of a quota is not what can be taken of it');
}

/** All that are wanted, or none. */
export function* spendWhole(id: string, wanted: number, now: Date): UnitOfWork<Spent> {
  const whole = yield* take(id, wanted, now);
  return whole ?? { units: 0, balance: yield* balanceOf(id, now) };
}

function* take(id: string, units: number, now: Date): UnitOfWork<Spent | undefined> {
  const [day, month] = [quotaWindow('day', now), quotaWindow('month', now)];
  const [next_day, next_month] = [nextQuotaWindow('day', now), nextQuotaWindow('month', now)];
  const taken = yield* row(spendUnits, { id, units, day, month, next_day, next_month });
  if (taken === undefined) return undefined;
  const { quota_window: window, quota_from_extra: ofExtra } = taken;
  const charge: Charge = { id, window, ofWindow: units - ofExtra, ofExtra };
  yield* compensateWith(() => refund({ ...charge }));
  return { units, balance: quotaBalance(toQuotaUse(taken), now), charge };
}

function* balanceOf(id: string, now: Date): UnitOfWork<QuotaBalance> {
  const left = yield* row(selectQuota, { id });
  if (left === undefined) throw new Error('a lookup was asked for an account that does not exist');
  const use = toQuotaUse(left);
  const next = nextQuotaWindow(use.period, now);
  // Of a clock that was wrong. A refused call changes nothing else, so it would be refused until that window came.
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
