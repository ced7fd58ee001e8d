import type { Serializers } from '../../../ports/store.ts';
import { type ReportRange, selectOlder, selectRange } from '../../tables/reports/report-walks.ts';
import { evidenceOf } from '../../tables/samples/evidence.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { advanceBackFill, backFillPosition } from '../../units/back-fill.ts';
import { lockFeeds, lockFiles, lockRoutes, lockTask } from '../../units/locks.ts';
import { inParallel, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { EVIDENCE_BACK_FILL, PATTERN_BACK_FILL } from '../services/reroute-reports.ts';
import { routedUpdateOf, writeUpdates } from './update-reports.ts';

/**
 * Looks at the next old reports, newest first and at most `limit`, and updates those whose evidence
 * or route differs. Returns the number of steps done; 0: none is left.
 */
export function* reevaluateOld(
  at: Date,
  limit: number,
  serializers: Serializers,
): UnitOfWork<number> {
  yield* lockTask('reevaluate old reports');
  const before = yield* backFillPosition(EVIDENCE_BACK_FILL);
  if (before === undefined) return 0;
  // The walk starts again when all patterns are indexed.
  if ((yield* backFillPosition(PATTERN_BACK_FILL)) !== undefined) return 0;
  const older = yield* rows(selectOlder, { before, limit });
  // The evidence and the routes that are read stay true until the commit.
  yield* lockFiles(
    older.map(({ sha256 }) => sha256),
    { isShared: true },
  );
  yield* lockRoutes({ isShared: true });
  // A service that changed its hosts in between has restarted the walk.
  if ((yield* backFillPosition(EVIDENCE_BACK_FILL)) !== before) return 1;
  const first = older.at(-1)?.number;
  if (first !== undefined) {
    const slugs = new Set(older.map(({ slug }) => slug));
    yield* lockFeeds(slugs);
    yield* reevaluateRange({ first, before }, slugs, { at, serializers });
  }
  yield* advanceBackFill(EVIDENCE_BACK_FILL, first);
  return Math.max(1, older.length);
}

/** Read after the feeds are locked: reports may have changed or been deleted before that. */
function* reevaluateRange(
  range: ReportRange,
  locked: ReadonlySet<string>,
  { at, serializers }: { readonly at: Date; readonly serializers: Serializers },
): UnitOfWork<void> {
  const found = (yield* rows(selectRange, range)).filter(({ slug }) => locked.has(slug));
  const { evidence, routes } = yield* inParallel({
    evidence: evidenceOf(found),
    routes: routesOf(found.map(({ host }) => host)),
  });
  const updates = found.flatMap(
    (row, index) => routedUpdateOf(row, evidence[index], routes.get(row.host), at) ?? [],
  );
  const counts = new StatisticCounts();
  yield* writeUpdates(updates, { at, serializers, counts });
  yield* counts.write();
}
