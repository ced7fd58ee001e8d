import {
  countWaiting,
  endRun,
  MAX_WAITING,
  moveRun,
  REANALYSIS_TASK,
  selectPage,
  selectRun,
} from '../../tables/samples/reanalysis-run.ts';
import { analysedHere } from '../../tables/samples/sample-details.ts';
import { findSamples } from '../../tables/samples/sample-rows.ts';
import { lockFiles, lockTask } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { queueAgain } from './analyse-again.ts';

const PAGE = MAX_WAITING / 2;

/** Queues the next page of the run. Returns the number of files in it; 0 if there is none. */
export function* queueReanalyses(at: Date): UnitOfWork<number> {
  yield* lockTask(REANALYSIS_TASK);
  const run = yield* row(selectRun, {});
  if (run?.state !== 'running') return 0;
  const waiting = (yield* row(countWaiting, { limit: MAX_WAITING }))?.count ?? 0;
  if (waiting + PAGE > MAX_WAITING) return 0;
  const { position_at, position_sha256, analysed_before: before } = run;
  const page = yield* rows(selectPage, { position_at, position_sha256, before, limit: PAGE });
  const last = page.at(-1);
  if (last === undefined) {
    yield* rows(endRun, { state: 'finished', ended_at: at.toISOString() });
    return 0;
  }
  const count = yield* queueAll(
    page.map(({ sha256 }) => Buffer.from(sha256).toString('hex')),
    at,
  );
  const position = { position_at: last.ended_at ?? before, position_sha256: last.sha256 };
  yield* rows(moveRun, { ...position, count });
  return page.length;
}

/** Returns how many were queued. An imported analysis is not replaced by one of this service. */
function* queueAll(hashes: readonly string[], at: Date): UnitOfWork<number> {
  yield* lockFiles(hashes);
  const samples = yield* findSamples(hashes.map((hex) => ({ hex, kinds: ['sha256'] })));
  const own = yield* analysedHere(samples.filter((id) => id !== undefined));
  let queued = 0;
  for (const [index, sha256] of hashes.entries()) {
    const sampleId = samples[index];
    if (sampleId === undefined || !own.has(sampleId)) continue;
    if (yield* queueAgain(sha256, at, { isLast: true })) queued += 1;
  }
  return queued;
}
