import { sql } from 'kysely';
import { lockRoutes, query, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The walk over reports whose confirmation or route may be out of date, newest first. */
export const EVIDENCE_BACK_FILL = 'report_evidence';

/** The index of the patterns of services that are older than the index. */
export const PATTERN_BACK_FILL = 'service_pattern';

const selectLast = query()((db) =>
  db.selectFrom('report').select(({ fn }) => fn.max<number | null>('number').as('last')),
);

const putPosition = query<{ name: string; position: number }>()((db, parameter) =>
  db
    .insertInto('back_fill')
    .values({ name: parameter.name, position: parameter.position })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ position: sql<number>`excluded.position` }),
    ),
);

/**
 * Every unit that changes which service answers for a host calls this. If it locks a feed, it has
 * called `lockRoutes` before that. Unresolved reports are routed again in slices. Concurrent
 * creates wait, so that each has the new route or is found by that walk.
 */
export function* rerouteReports(): UnitOfWork<void> {
  yield* lockRoutes();
  const last = (yield* row(selectLast, {}))?.last ?? undefined;
  if (last !== undefined)
    yield* rows(putPosition, { name: EVIDENCE_BACK_FILL, position: last + 1 });
}
