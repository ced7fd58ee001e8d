import type { Reanalysis, ReanalysisProgress } from '../../../domain/samples/reanalysis.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { ReanalysisTable } from '../../schema/upload-tables.ts';
import { addJob } from '../../tables/jobs/jobs.ts';
import {
  countRemaining,
  countWaiting,
  endRun,
  moveRun,
  selectPage,
  selectRun,
  selectWaiting,
  upsertRun,
} from '../../tables/samples/reanalysis-run.ts';
import { analysedHere } from '../../tables/samples/sample-details.ts';
import { findSamples } from '../../tables/samples/sample-rows.ts';
import { MAX_COUNTED_UPLOADS } from '../../tables/samples/unfinished-uploads.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFiles, lockTask } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { queueAgain } from './analyse-again.ts';

/**
 * A run that analyses stored files again goes through the files in the order in which they were
 * analysed. It keeps few jobs in the queue: a page is queued when there is room for it. A file that
 * was analysed again has a later time, so it is never in a later page.
 */

/** The most files of a run that wait at once. */
const MAX_WAITING = 200;

const PAGE = MAX_WAITING / 2;

const BEGINNING = new Date(0).toISOString();

const TASK = 'analyse again';

/** `running`: another run has not ended. */
export function* startReanalysis(
  before: Date,
  audit: AuditContext,
): UnitOfWork<'started' | 'running'> {
  yield* lockTask(TASK);
  if ((yield* row(selectRun, {}))?.state === 'running') return 'running';
  yield* rows(upsertRun, {
    id: 1,
    state: 'running',
    analysed_before: before.toISOString(),
    position_at: BEGINNING,
    position_sha256: Buffer.alloc(0),
    queued: 0,
    started_by: audit.actor,
    started_at: audit.at.toISOString(),
    ended_at: null,
  });
  yield* writeAudit(audit, 'reanalysis.start', before.toISOString());
  yield* addLostJobs(audit.at);
  return 'started';
}

/**
 * A node of an older version completes the job of a file that is analysed again without analysing
 * it. Such files would wait forever, and no page would have room.
 */
function* addLostJobs(at: Date): UnitOfWork<void> {
  for (const { sha256, uploaded_by } of yield* rows(selectWaiting, { limit: MAX_WAITING })) {
    const key = Buffer.from(sha256).toString('hex');
    yield* addJob({ kind: 'analyse', key, accountId: uploaded_by, at, isLast: true });
  }
}

/** Files that are queued already are analysed. */
export function* stopReanalysis(audit: AuditContext): UnitOfWork<void> {
  yield* lockTask(TASK);
  const run = yield* row(selectRun, {});
  if (run?.state !== 'running') return;
  yield* rows(endRun, { state: 'stopped', ended_at: audit.at.toISOString() });
  const { analysed_before, queued } = run;
  yield* writeAudit(audit, 'reanalysis.stop', analysed_before, { queued });
}

export function* findReanalysis(): UnitOfWork<ReanalysisProgress> {
  const limit = MAX_COUNTED_UPLOADS;
  const run = yield* row(selectRun, {});
  const waiting = (yield* row(countWaiting, { limit }))?.count ?? 0;
  if (run === undefined) return { run, waiting, remaining: 0 };
  const { position_at, position_sha256, analysed_before: before } = run;
  const counted = yield* row(countRemaining, { position_at, position_sha256, before, limit });
  return { run: fromRow(run), waiting, remaining: counted?.count ?? 0 };
}

/** Queues the next page of the run. Returns the number of files in it; 0 if there is none. */
export function* queueReanalyses(at: Date): UnitOfWork<number> {
  yield* lockTask(TASK);
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

function fromRow(run: ReanalysisTable): Reanalysis {
  return {
    state: run.state,
    before: new Date(run.analysed_before),
    startedBy: run.started_by,
    startedAt: new Date(run.started_at),
    endedAt: run.ended_at === null ? undefined : new Date(run.ended_at),
    queued: run.queued,
  };
}
