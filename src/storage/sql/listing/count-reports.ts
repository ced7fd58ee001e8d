import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReportFilter } from '../../../domain/reports/feed-filter.ts';
import type { CountedReports, FeedScope } from '../../../ports/feed-store.ts';
import { type Runner, row, type UnitOfWork } from '../../unit-of-work.ts';
import { COUNT_QUERIES, type Way } from './list-queries.ts';
import { byNumber, type Source, sourcesOf } from './list-sources.ts';

/** Beyond this the total is a lower bound. */
const MOST_COUNTED = 10_000;
/** So many reports are looked at, whether they fit or not: some 200 ms in all. */
const MOST_READ = 200_000;
/** In one turn of the event loop: 2 to 4 ms on SQLite. */
const READ_AT_ONCE = 2000;
/** What a source without any report costs, in reports. */
const COST_OF_SOURCE = 20;

type NumberedSource = Source & { readonly way: Way };

/** How far counting has come. */
interface Progress {
  readonly sources: readonly NumberedSource[];
  source: number;
  /** The number of the last report of that source that was looked at. */
  after: number;
  counted: number;
  read: number;
}

/** Counts in short reads, with room for others in between. */
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
    read: 0,
  };
  while (!isOver(progress) && progress.counted <= MOST_COUNTED && progress.read < MOST_READ) {
    // Taken over only when it is done: a unit of work may be begun again.
    Object.assign(progress, await runner.read(() => countOn({ ...progress })));
    await nextTurn();
  }
  const { counted } = progress;
  return {
    total: Math.min(counted, MOST_COUNTED),
    isLowerBound: counted > MOST_COUNTED || !isOver(progress),
  };
}

function isOver({ sources, source }: Progress): boolean {
  return source >= sources.length;
}

function* countOn(progress: Progress): UnitOfWork<Progress> {
  let left = READ_AT_ONCE;
  while (left > 0 && !isOver(progress)) left -= yield* countNext(progress, left);
  return progress;
}

/** Looks at so many reports of the current source. Returns what that has cost. */
function* countNext(progress: Progress, limit: number): UnitOfWork<number> {
  const source = progress.sources[progress.source];
  if (source === undefined) return limit;
  const { serviceId, way, key, rest } = source;
  const stretch = { serviceId, ...key, after: progress.after, upTo: Number.MAX_SAFE_INTEGER };
  const found = yield* row(COUNT_QUERIES[way], { ...stretch, ...rest, limit });
  const { looked = 0, fitting, last } = found ?? {};
  progress.counted += fitting ?? 0;
  progress.read += looked + COST_OF_SOURCE;
  if (looked < limit || last === null || last === undefined) {
    progress.source += 1;
    progress.after = 0;
  } else {
    progress.after = last;
  }
  return looked + COST_OF_SOURCE;
}
