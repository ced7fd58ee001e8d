import { sql } from 'kysely';
import type { DayUnits } from '../../../ports/store.ts';
import { all, each, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';

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
    .select(['usage_day as day', 'usage_units as units'])
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
  yield* rows(addToDay, day);
}

/** The days with a charge since that one, oldest first. */
export function* unitsPerDay(accountId: string, from: string): UnitOfWork<readonly DayUnits[]> {
  const days = yield* rows(selectDays, { account_id: accountId, from });
  const current = yield* row(selectCurrent, { id: accountId });
  const units = new Map(days.map((one) => [one.day, one.units]));
  if (current !== undefined && current.day >= from)
    units.set(current.day, (units.get(current.day) ?? 0) + current.units);
  return [...units].map(([day, sum]) => ({ day, units: sum }));
}

/** Deletes days before that one. Returns 0 if there are none, otherwise at most `limit`. */
export function* deleteOldDays(before: string, limit: number): UnitOfWork<number> {
  const old = yield* rows(selectOld, { before, limit });
  const accounts = [...new Set(old.map(({ account_id }) => account_id))];
  yield* each(
    deleteDays,
    accounts.map((account_id) => ({ account_id, before })),
  );
  return old.length;
}
