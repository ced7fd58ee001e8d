import type { AuditContext } from '../../../ports/audit-context.ts';
import { addJob, removeJob } from '../../tables/jobs/jobs.ts';
import { findUpload, updateQueued } from '../../tables/samples/uploads.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFiles } from '../../units/locks.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';

/** `pending`: it is queued or running. */
export function* analyseAgain(
  sha256: string,
  audit: AuditContext,
): UnitOfWork<'queued' | 'absent' | 'pending'> {
  yield* lockFiles([sha256]);
  if (!(yield* queueAgain(sha256, audit.at))) {
    const upload = yield* findUpload({ hex: sha256, kinds: ['sha256'] });
    return upload === undefined ? 'absent' : 'pending';
  }
  yield* writeAudit(audit, 'sample.analyse', sha256);
  return 'queued';
}

/** Returns whether it was queued. The caller has locked the file. */
export function* queueAgain(
  sha256: string,
  at: Date,
  { isLast = false } = {},
): UnitOfWork<boolean> {
  const queued = yield* row(updateQueued, { sha256: Buffer.from(sha256, 'hex') });
  if (queued === undefined) return false;
  // The worker of the last analysis may not have completed its job yet. A new job is not completed
  // by that claim.
  yield* removeJob('analyse', sha256, at);
  yield* addJob({ kind: 'analyse', key: sha256, accountId: queued.uploaded_by, at, isLast });
  return true;
}
