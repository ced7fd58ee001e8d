import { sql } from 'kysely';
import { lockFeeds, lockRoutes, lockTask } from '../../units/locks.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { COUNTING, COUNTING_TASK } from './fill-statistics.ts';

const selectSlugs = query()((db) => db.selectFrom('service').select('slug'));

const deleteTotals = query()((db) => db.deleteFrom('statistic_total'));
const deleteDays = query()((db) => db.deleteFrom('statistic_day'));
const deleteFamilies = query()((db) => db.deleteFrom('statistic_family'));
const deleteReporters = query()((db) => db.deleteFrom('statistic_reporter'));

const selectLast = query()((db) =>
  db.selectFrom('report').select(({ fn }) => fn.max('number').as('number')),
);

const putPosition = query<{ name: string; position: number }>()((db, parameter) =>
  db
    .insertInto('back_fill')
    .values(all(parameter, ['name', 'position']))
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ position: sql<number>`excluded.position` }),
    ),
);

/**
 * Deletes all counters. All reports are counted again as if they were older than the counters. The
 * feeds are locked, so that no change is counted by a position that was read before. So are the
 * routes, so that no report is created in a feed that is added meanwhile.
 */
export function* restartCounting(): UnitOfWork<void> {
  yield* lockTask(COUNTING_TASK);
  yield* lockRoutes();
  yield* lockFeeds((yield* rows(selectSlugs, {})).map(({ slug }) => slug));
  for (const deletion of [deleteTotals, deleteDays, deleteFamilies, deleteReporters])
    yield* rows(deletion, {});
  const last = (yield* row(selectLast, {}))?.number ?? 0;
  yield* rows(putPosition, { name: COUNTING, position: last + 1 });
}
