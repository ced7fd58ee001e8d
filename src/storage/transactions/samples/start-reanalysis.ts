import type { AuditContext } from '../../../ports/audit-context.ts';
import { addJob } from '../../tables/jobs/jobs.ts';
import {
  endRun,
  MAX_WAITING,
  REANALYSIS_TASK,
  selectRun,
  selectWaiting,
  upsertRun,
} from '../../tables/samples/reanalysis-run.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockTask } from '../../units/locks.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const BEGINNING = new Date(0).toISOString();

/** `running`: another run has not ended. */
export function* startReanalysis(
  before: Date,
  audit: AuditContext,
): UnitOfWork<'started' | 'running'> {
  yield* lockTask(REANALYSIS_TASK);
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
  yield* lockTask(REANALYSIS_TASK);
  const run = yield* row(selectRun, {});
  if (run?.state !== 'running') return;
  yield* rows(endRun, { state: 'stopped', ended_at: audit.at.toISOString() });
  const { analysed_before, queued } = run;
  yield* writeAudit(audit, 'reanalysis.stop', analysed_before, { queued });
}
