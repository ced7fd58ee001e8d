import type { Upload } from '../../../ports/sample-store.ts';
import type { FurtherUploadTable } from '../../schema/upload-tables.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The most accounts to which the analysis of one file proposes reports, besides the first uploader.
 * An account that uploads the file after its analysis gets its proposals at once, beyond this too.
 */
const MAX_FURTHER_UPLOADERS = 100;

const insertUpload = query<FurtherUploadTable>()((db, parameter) =>
  db
    .insertInto('further_upload')
    .values(all(parameter, ['sha256', 'account_id', 'file_name', 'uploaded_at']))
    .onConflict((conflict) => conflict.columns(['sha256', 'account_id']).doNothing()),
);

export const selectUploads = query<{ sha256: Uint8Array; limit: number }>()((db, parameter) =>
  db
    .selectFrom('further_upload')
    .select(['account_id', 'file_name'])
    .where('sha256', '=', parameter.sha256)
    .orderBy('account_id')
    .limit(parameter.limit),
);

const selectFirst = query<{ sha256: Uint8Array }>()((db, parameter) =>
  db
    .selectFrom('upload')
    .select(['uploaded_by', 'file_name'])
    .where('sha256', '=', parameter.sha256),
);

/** An account that uploaded a file, and the name that it gave to the file. */
export interface Uploader {
  readonly accountId: string;
  readonly fileName: string;
}

/** The first upload of an account keeps its name. The caller has locked the file. */
export function* addFurtherUpload({ digests, ...upload }: Upload): UnitOfWork<void> {
  yield* rows(insertUpload, {
    sha256: Buffer.from(digests.sha256, 'hex'),
    account_id: upload.uploadedBy,
    file_name: upload.fileName,
    uploaded_at: upload.uploadedAt.toISOString(),
  });
}

/** The first uploader, then others, at most `MAX_FURTHER_UPLOADERS`. */
export function* uploadersOf(sha256: string): UnitOfWork<readonly Uploader[]> {
  const bytes = Buffer.from(sha256, 'hex');
  const first = yield* row(selectFirst, { sha256: bytes });
  const others = yield* rows(selectUploads, { sha256: bytes, limit: MAX_FURTHER_UPLOADERS });
  return [
    ...(first === undefined ? [] : [{ accountId: first.uploaded_by, fileName: first.file_name }]),
    ...others.map(({ account_id, file_name }) => ({ accountId: account_id, fileName: file_name })),
  ];
}

export const deleteUpload = query<{ sha256: Uint8Array; account_id: string }>()((db, parameter) =>
  db
    .deleteFrom('further_upload')
    .where('sha256', '=', parameter.sha256)
    .where('account_id', '=', parameter.account_id),
);
