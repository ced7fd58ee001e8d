import { sql } from 'kysely';
import type { AccountUsage, DayUnits, UsageRequest } from '../../../ports/account-usage.ts';
import { all, query } from '../../units/query.ts';
import { each, eachDeferred, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { chargesOf, deleteOldCharges } from './charges.ts';

/** The units that an account was charged on each day: the current day is in its own row. */

interface ClosedDay {
  account_id: string;
  day: string;
  units: number;
}

const addToDay = query<ClosedDay>()((db, parameter) =>
  db
    .insertInto('account_day')
    .values(all(parameter, ['account_id', 'day', 'units']))
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'day'])
        .doUpdateSet({ units: sql<number>`account_day.units + excluded.units` }),
    ),
);

const subtract = query<ClosedDay>()((db, parameter) =>
  db
    .updateTable('account_day')
    .set({ units: sql<number>`units - ${parameter.units}` })
    .where('account_id', '=', parameter.account_id)
    // As below.
    .where(sql<boolean>`case when day = ${parameter.day} then 1 else 0 end = 1`),
);

const selectDays = query<{ account_id: string; from: string }>()((db, parameter) =>
  db
    .selectFrom('account_day')
    .select(['day', 'units'])
    .where('account_id', '=', parameter.account_id)
    .where('day', '>=', parameter.from)
    .orderBy('day'),
);

const selectCurrent = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('account')
    .select(['usage_day as day', 'usage_units as units', 'itemised_after'])
    .where('id', '=', parameter.id),
);

const selectOld = query<{ before: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('account_day')
    .select('account_id')
    .where('day', '<', parameter.before)
    .orderBy('day')
    .limit(parameter.limit),
);

const deleteDays = query<{ account_id: string; before: string }>()((db, parameter) =>
  db
    .deleteFrom('account_day')
    .where('account_id', '=', parameter.account_id)
    // Not by the index of days: an account has few, which are adjacent.
    .where(sql<boolean>`case when day < ${parameter.before} then 1 else 0 end = 1`),
);

/** Adds the units of a day that has ended. */
export function* closeDay(day: ClosedDay): UnitOfWork<void> {
  yield* eachDeferred(addToDay, [day]);
}

/** Takes units back from a day that has ended. */
export function* subtractFromDay(day: ClosedDay): UnitOfWork<void> {
  yield* rows(subtract, day);
}

export function* usageOf(accountId: string, request: UsageRequest): UnitOfWork<AccountUsage> {
  const { from, to } = request;
  const days = yield* rows(selectDays, { account_id: accountId, from });
  const current = yield* row(selectCurrent, { id: accountId });
  const units = new Map(days.map((one) => [one.day, one.units]));
  if (current !== undefined && current.day >= from)
    units.set(current.day, (units.get(current.day) ?? 0) + current.units);
  return {
    days: [...units]
      .map(([day, sum]): DayUnits => ({ day, units: sum }))
      .filter(({ day }) => day <= to),
    charges: yield* chargesOf(accountId, request),
    itemisedAfter: current?.itemised_after ?? '',
  };
}

/** Deletes days before that one and their charges. Returns 0 if there are none. */
export function* deleteOldDays(before: string, limit: number): UnitOfWork<number> {
  return (yield* deleteOldCharges(before, limit)) + (yield* deleteOldUnits(before, limit));
}

function* deleteOldUnits(before: string, limit: number): UnitOfWork<number> {
  const old = yield* rows(selectOld, { before, limit });
  const accounts = [...new Set(old.map(({ account_id }) => account_id))];
  yield* each(
    deleteDays,
    accounts.map((account_id) => ({ account_id, before })),
  );
  return old.length;
}
