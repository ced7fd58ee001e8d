import { selectLast } from '../../tables/reports/report-walks.ts';
import { putPosition } from '../../units/back-fill.ts';
import { lockRoutes } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The walk over reports whose confirmation or route may be out of date, newest first. */
export const EVIDENCE_BACK_FILL = 'report_evidence';

/** The index of the patterns of services that are older than the index. */
export const PATTERN_BACK_FILL = 'service_pattern';

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
