import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReportFilter } from '../../../../domain/reports/feed-filter.ts';
import type { CountedReports, FeedScope } from '../../../../ports/feed-store.ts';
import type { Runner } from '../../../units/runner.ts';
import { row, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { MAX_OF_RARE_HOST } from '../host-reports.ts';
import { COUNT_QUERIES } from './list-queries.ts';
import { byNumber, type NumberedSource, sourcesOf } from './list-sources.ts';
import { sparsestRange } from './sparsest-range.ts';

/** Beyond this the total is a lower bound. */
const MAX_COUNTED = 10_000;
/** The limit on reports scanned, whether they match or not: some 40 ms in all. */
const MAX_SCANNED = 20_000;
/** Reports scanned in one turn of the event loop: 2 to 4 ms on SQLite. */
const SCANNED_PER_TURN = 2000;
/** The cost of an empty source, in reports scanned. */
const SOURCE_COST = 20;

interface Progress {
  readonly sources: readonly NumberedSource[];
  /** The index of the current source. */
  source: number;
  /** The number of the last report scanned in that source. */
  after: number;
  counted: number;
  scanned: number;
}

/** Counts in short reads, and yields to the event loop between them. */
export async function countReports(
  runner: Runner,
  scope: FeedScope,
  filter: ReportFilter,
): Promise<CountedReports> {
  const found = await runner.read(() => sourcesOf(scope, filter));
  const progress: Progress = {
    sources: found.flatMap(byNumber),
    source: 0,
    after: 0,
    counted: 0,
    scanned: 0,
  };
  while (
    !isComplete(progress) &&
    progress.counted <= MAX_COUNTED &&
    progress.scanned < MAX_SCANNED
  ) {
    // On a copy: a unit of work may be restarted, and must then count from the same state.
    Object.assign(progress, await runner.read(() => countSlice({ ...progress })));
    await nextTurn();
  }
  const { counted } = progress;
  return {
    total: Math.min(counted, MAX_COUNTED),
    isLowerBound: counted > MAX_COUNTED || !isComplete(progress),
  };
}

function isComplete({ sources, source }: Progress): boolean {
  return source >= sources.length;
}

function* countSlice(progress: Progress): UnitOfWork<Progress> {
  let remaining = SCANNED_PER_TURN;
  while (remaining > 0 && !isComplete(progress)) remaining -= yield* countNext(progress, remaining);
  return progress;
}

/** Scans at most `limit` reports of the current source. Returns the cost. */
function* countNext(progress: Progress, limit: number): UnitOfWork<number> {
  const source = progress.sources[progress.source];
  if (source === undefined) return limit;
  const { serviceId, ranges } = source;
  const { after } = progress;
  const { path, key, filter } =
    ranges.length === 1
      ? ranges[0]
      : (yield* sparsestRange(source, { order: 'asc', after, size: limit })).range;
  const range = { serviceId, ...key, after, upTo: Number.MAX_SAFE_INTEGER };
  // A rare host is read at once: the order of its reports is not that of their numbers.
  const most = path === 'rareHost' ? Math.max(limit, MAX_OF_RARE_HOST + 1) : limit;
  const found = yield* row(COUNT_QUERIES[path], { ...range, ...filter, limit: most });
  const { scanned = 0, matched, last } = found ?? {};
  progress.counted += matched ?? 0;
  progress.scanned += scanned + SOURCE_COST;
  if (scanned < most || last === null || last === undefined) {
    progress.source += 1;
    progress.after = 0;
  } else {
    progress.after = last;
  }
  return scanned + SOURCE_COST;
}
