import { sql } from 'kysely';
import type { FailedPage, FailedUpload } from '../../../ports/sample-store.ts';
import { query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { MAX_COUNTED_UPLOADS } from './unfinished-uploads.ts';

/** After every failure. */
const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z');

/** The condition of the partial index, in its words: otherwise the index is not used. */
const HAS_FAILED = sql<boolean>`(upload.state = 'failed' or upload.reanalysis = 'failed')`;

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
