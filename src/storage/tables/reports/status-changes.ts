import type { StatusChangeRow } from '../../schema/tables.ts';
import { all, query } from '../../units/query.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { utcDay } from '../../units/utc-day.ts';

/**
 * The statuses that a report has had. Only changes of the status are stored: a create writes
 * nothing here.
 */

const insertChange = query<StatusChangeRow>()((db, parameter) =>
  db
    .insertInto('status_change')
    .values(
      all(parameter, [
        'number',
        'sequence',
        'at',
        'status',
        'status_reason',
        'status_note',
        'status_by',
        'is_repeat',
        'is_self',
      ]),
    ),
);

const selectNewest = query<{ number: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('status_change')
    .selectAll()
    .where('number', '=', parameter.number)
    .orderBy('sequence', 'desc')
    .limit(parameter.limit),
);

/** How often each status was set on each UTC day. */
const countChanges = query<{ number: number }>()((db, parameter, dialect) => {
  const day = utcDay('at', dialect);
  return db
    .selectFrom('status_change')
    .select(({ fn }) => ['status', day.as('day'), fn.countAll<number>().as('changes')])
    .where('number', '=', parameter.number)
    .where('is_repeat', '=', 0)
    .groupBy(['status', day]);
});

const deleteChanges = query<{ number: number }>()((db, parameter) =>
  db.deleteFrom('status_change').where('number', '=', parameter.number),
);

export function* addStatusChanges(changes: readonly StatusChangeRow[]): UnitOfWork<void> {
  yield* each(insertChange, changes);
}

export function* newestStatusChanges(
  number: number,
  limit: number,
): UnitOfWork<readonly StatusChangeRow[]> {
  return yield* rows(selectNewest, { number, limit });
}

export function* countStatusChanges(number: number) {
  return yield* rows(countChanges, { number });
}

/** Deletes the changes of a report that is deleted. */
export function* removeStatusChanges(number: number): UnitOfWork<void> {
  yield* rows(deleteChanges, { number });
}
