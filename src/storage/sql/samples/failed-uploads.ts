import { sql } from 'kysely';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { FailedPage, FailedUpload } from '../../../ports/sample-store.ts';
import { lockFiles, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { writeAudit } from '../accounts/audit.ts';
import { addJob, removeJob } from '../jobs.ts';
import { MAX_COUNTED_UPLOADS } from './unfinished-uploads.ts';
import { findUpload } from './uploads.ts';

/** After every failure. */
const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z');

/** The condition of the partial index, in its words: otherwise the index is not used. */
const HAS_FAILED = sql<boolean>`upload.state = 'failed'`;

const selectFailed = query<{ failedAt: string; sha256: Uint8Array; limit: number }>()(
  (db, parameter) =>
    db
      .selectFrom('upload')
      .innerJoin('account', 'account.id', 'upload.uploaded_by')
      .select([
        'upload.sha256',
        'upload.file_name',
        'upload.size_bytes',
        'upload.uploaded_at',
        'upload.ended_at',
        'upload.reason',
        'upload.attempts',
        'account.name as account_name',
      ])
      .where(HAS_FAILED)
      .where(
        sql<boolean>`(upload.ended_at, upload.sha256) < (${parameter.failedAt}, ${parameter.sha256})`,
      )
      .orderBy('upload.ended_at', 'desc')
      .orderBy('upload.sha256', 'desc')
      .limit(parameter.limit),
);

const countFailed = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('upload')
        .select('ended_at')
        .where(HAS_FAILED)
        .orderBy('ended_at', 'desc')
        .limit(parameter.limit)
        .as('failed'),
    )
    .select(sql<number>`count(*)`.as('count')),
);

const updateQueued = query<{ sha256: Uint8Array }>()((db, parameter) =>
  db
    .updateTable('upload')
    .set({ state: 'queued', reason: null, ended_at: null, attempts: null })
    .where('sha256', '=', parameter.sha256)
    .where('state', '=', 'failed')
    .returning('uploaded_by'),
);

export function* listFailedUploads({
  after,
  limit,
}: FailedPage): UnitOfWork<readonly FailedUpload[]> {
  const found = yield* rows(selectFailed, {
    failedAt: (after?.failedAt ?? END_OF_TIME).toISOString(),
    sha256: Buffer.from(after?.sha256 ?? '', 'hex'),
    limit,
  });
  return found.map((upload) => ({
    sha256: Buffer.from(upload.sha256).toString('hex'),
    fileName: upload.file_name,
    sizeBytes: upload.size_bytes,
    uploadedBy: upload.account_name,
    uploadedAt: new Date(upload.uploaded_at),
    failedAt: new Date(upload.ended_at ?? upload.uploaded_at),
    reason: upload.reason ?? '',
    attempts: upload.attempts ?? undefined,
  }));
}

export function* countFailedUploads(): UnitOfWork<number> {
  return (yield* row(countFailed, { limit: MAX_COUNTED_UPLOADS }))?.count ?? 0;
}

export function* analyseAgain(
  sha256: string,
  audit: AuditContext,
): UnitOfWork<'queued' | 'absent' | 'not-failed'> {
  yield* lockFiles([sha256]);
  const queued = yield* row(updateQueued, { sha256: Buffer.from(sha256, 'hex') });
  if (queued === undefined) {
    const upload = yield* findUpload({ hex: sha256, kinds: ['sha256'] });
    return upload === undefined ? 'absent' : 'not-failed';
  }
  // The worker that recorded the failure may not have completed its job yet. A new job is not
  // completed by that claim.
  yield* removeJob('analyse', sha256, audit.at);
  yield* addJob({ kind: 'analyse', key: sha256, accountId: queued.uploaded_by, at: audit.at });
  yield* writeAudit(audit, 'sample.analyse', sha256);
  return 'queued';
}
