import { sql } from 'kysely';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { UploadState } from '../../../ports/sample-store.ts';
import { addJob, removeJob } from '../../tables/jobs/jobs.ts';
import { findUpload } from '../../tables/samples/uploads.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFiles, query, row, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * A failed upload has no analysis and is queued like a new one. An upload that is done stays done,
 * so that its analysis is served until the next one replaces it.
 */
const updateQueued = query<{ sha256: Uint8Array }>()((db, parameter) =>
  db
    .updateTable('upload')
    .set({
      state: sql<UploadState>`case when state = 'failed' then 'queued' else state end`,
      reanalysis: sql<'queued' | null>`case when state = 'done' then 'queued' end`,
      reason: null,
      ended_at: sql<string | null>`case when state = 'done' then ended_at end`,
      attempts: null,
    })
    .where('sha256', '=', parameter.sha256)
    .where(
      sql<boolean>`(state = 'failed' or state = 'done' and coalesce(reanalysis, '') <> 'queued')`,
    )
    .returning('uploaded_by'),
);

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
