import { sql } from 'kysely';
import type { FileHash, HashKind } from '../../../domain/samples/file-hash.ts';
import type { StoredUpload, Upload, UploadState } from '../../../ports/sample-store.ts';
import type { UploadRow } from '../../schema/tables.ts';
import { all, type Query, query } from '../../units/query.ts';
import { allInParallel, each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const COLUMNS = [
  'sha256',
  'blake3',
  'sha512',
  'md5',
  'sha1',
  'size_bytes',
  'file_name',
  'uploaded_by',
  'uploaded_at',
  'state',
  'reason',
  'ended_at',
  'attempts',
  'reanalysis',
] as const satisfies readonly (keyof UploadRow)[];

const insertUpload = query<UploadRow>()((db, parameter) =>
  db.insertInto('upload').values(all(parameter, COLUMNS)),
);

const selectBy = (kind: HashKind) =>
  query<{ value: Uint8Array }>()((db, parameter) =>
    db.selectFrom('upload').selectAll().where(kind, '=', parameter.value),
  );

const SELECTS: Readonly<Record<HashKind, Query<{ value: Uint8Array }, UploadRow>>> = {
  sha256: selectBy('sha256'),
  blake3: selectBy('blake3'),
  sha512: selectBy('sha512'),
};

const stateBy = (kind: HashKind) =>
  query<{ value: Uint8Array }>()((db, parameter) =>
    db.selectFrom('upload').select('state').where(kind, '=', parameter.value),
  );

/** The order in which the possible kinds of a hash are tried. */
const KINDS = ['sha256', 'blake3', 'sha512'] as const;

const STATES = {
  sha256: stateBy('sha256'),
  blake3: stateBy('blake3'),
  sha512: stateBy('sha512'),
};

/** A file that is analysed again stays done, so that it keeps its analysis. */
const IS_EXPECTED = sql<boolean>`(state in ('queued', 'running') or reanalysis = 'queued')`;

const updateStarted = query<{ sha256: Uint8Array }>()((db, parameter) =>
  db
    .updateTable('upload')
    .set({ state: sql<UploadState>`case when state = 'done' then 'done' else 'running' end` })
    .where('sha256', '=', parameter.sha256)
    .where(IS_EXPECTED)
    .returningAll(),
);

type Ending = Pick<UploadRow, 'sha256' | 'state' | 'reason' | 'ended_at' | 'attempts'>;

const updateEnded = query<Ending>()((db, parameter) =>
  db
    .updateTable('upload')
    .set({
      ...all(parameter, ['reason', 'ended_at', 'attempts']),
      state: sql<UploadState>`case when state = 'done' then 'done' else ${parameter.state} end`,
      reanalysis: sql<'failed' | null>`
        case when state = 'done' and ${parameter.state} = 'failed' then 'failed' end`,
    })
    .where('sha256', '=', parameter.sha256)
    .where(sql<boolean>`(state <> 'done' or reanalysis = 'queued')`),
);

const settleFailed = query<Pick<UploadRow, 'sha256' | 'ended_at'>>()((db, parameter) =>
  db
    .updateTable('upload')
    .set({
      state: 'done',
      reason: null,
      ended_at: parameter.ended_at,
      attempts: null,
      reanalysis: null,
    })
    .where('sha256', '=', parameter.sha256)
    // Not in the words of the partial index, by which PostgreSQL would read all failed ones; and as
    // a `case`, of which it does not expect few rows.
    .where(sql<boolean>`case when state = 'failed' then true else reanalysis = 'failed' end`),
);

const deleteUpload = query<{ sha256: Uint8Array }>()((db, parameter) =>
  db
    .deleteFrom('upload')
    .where('sha256', '=', parameter.sha256)
    .returning(['uploaded_by', 'size_bytes']),
);

/** The caller has locked the file, and found no upload: the first upload keeps its file name. */
export function* addUpload(upload: Upload, state: UploadState): UnitOfWork<void> {
  yield* rows(insertUpload, toRow(upload, state));
}

/** The upload of the first of the possible kinds of the hash that exists. */
export function* findUpload({ hex, kinds }: FileHash): UnitOfWork<StoredUpload | undefined> {
  const value = Buffer.from(hex, 'hex');
  for (const kind of kinds) {
    const found = yield* row(SELECTS[kind], { value });
    if (found !== undefined) return fromRow(found);
  }
  return undefined;
}

export function* isPending(hash: FileHash): UnitOfWork<boolean> {
  return (yield* pendingOf([hash])).has(hash);
}

function* statesOf(
  kind: HashKind,
  hashes: readonly FileHash[],
): UnitOfWork<ReadonlyMap<FileHash, UploadState | undefined>> {
  const candidates = hashes.filter(({ kinds }) => kinds.includes(kind));
  const found = yield* each(
    STATES[kind],
    candidates.map(({ hex }) => ({ value: Buffer.from(hex, 'hex') })),
  );
  return new Map(candidates.map((hash, index) => [hash, found[index]?.[0]?.state]));
}

/** The hashes of uploads that are queued or running. */
export function* pendingOf(hashes: readonly FileHash[]): UnitOfWork<ReadonlySet<FileHash>> {
  const byKind = yield* allInParallel(KINDS.map((kind) => statesOf(kind, hashes)));
  const pending = new Set<FileHash>();
  for (const hash of hashes) {
    const state = byKind.map((states) => states.get(hash)).find((one) => one !== undefined);
    if (state === 'queued' || state === 'running') pending.add(hash);
  }
  return pending;
}

export function* startUpload(sha256: string): UnitOfWork<StoredUpload | undefined> {
  const started = yield* row(updateStarted, { sha256: Buffer.from(sha256, 'hex') });
  return started && fromRow(started);
}

/** `failure` if it failed. An upload that is done stays so, and only its reanalysis has failed. */
export function* endUpload(
  sha256: string,
  at: Date,
  failure?: { readonly reason: string; readonly attempts?: number | undefined },
): UnitOfWork<void> {
  yield* rows(updateEnded, {
    sha256: Buffer.from(sha256, 'hex'),
    state: failure === undefined ? 'done' : 'failed',
    reason: failure?.reason ?? null,
    ended_at: at.toISOString(),
    attempts: failure?.attempts ?? null,
  });
}

/** After an import: uploads that failed are done; those still queued are analysed anyway. */
export function* settleFailedUploads(hashes: readonly string[], at: Date): UnitOfWork<void> {
  yield* each(
    settleFailed,
    hashes.map((sha256) => ({ sha256: Buffer.from(sha256, 'hex'), ended_at: at.toISOString() })),
  );
}

/** Whose stored bytes the deleted upload was counted in; `undefined` if there was none. */
export function* removeUpload(
  sha256: string,
): UnitOfWork<{ readonly accountId: string; readonly bytes: number } | undefined> {
  const removed = yield* row(deleteUpload, { sha256: Buffer.from(sha256, 'hex') });
  return removed && { accountId: removed.uploaded_by, bytes: removed.size_bytes };
}

function toRow(upload: Upload, state: UploadState): UploadRow {
  const { digests } = upload;
  return {
    sha256: Buffer.from(digests.sha256, 'hex'),
    blake3: Buffer.from(digests.blake3, 'hex'),
    sha512: Buffer.from(digests.sha512, 'hex'),
    md5: Buffer.from(digests.md5, 'hex'),
    sha1: Buffer.from(digests.sha1, 'hex'),
    size_bytes: upload.sizeBytes,
    file_name: upload.fileName,
    uploaded_by: upload.uploadedBy,
    uploaded_at: upload.uploadedAt.toISOString(),
    state,
    reason: null,
    ended_at: null,
    attempts: null,
    reanalysis: null,
  };
}

function fromRow(row: UploadRow): StoredUpload {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  return {
    digests: {
      md5: hex(row.md5),
      sha1: hex(row.sha1),
      sha256: hex(row.sha256),
      sha512: hex(row.sha512),
      blake3: hex(row.blake3),
    },
    sizeBytes: row.size_bytes,
    fileName: row.file_name,
    uploadedBy: row.uploaded_by,
    uploadedAt: new Date(row.uploaded_at),
    state: row.state,
    reason: row.state === 'failed' ? (row.reason ?? undefined) : undefined,
  };
}

/**
 * A failed upload has no analysis and is queued like a new one. An upload that is done stays done,
 * so that its analysis is served until the next one replaces it.
 */
export const updateQueued = query<{ sha256: Uint8Array }>()((db, parameter) =>
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
