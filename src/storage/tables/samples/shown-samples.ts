import { sql } from 'kysely';
import type { HashKind } from '../../../domain/samples/file-hash.ts';
import { query } from '../../units/query.ts';

const SHOWN = [
  'sample.sha256',
  'sample.family',
  'sample.analysed_at',
  'fuzzy_hash.file_name',
  'fuzzy_hash.tags',
] as const;

export const selectByFuzzyHash = query<{ id: number }>()((db, parameter) =>
  db
    .selectFrom('fuzzy_hash')
    .innerJoin('sample', 'sample.id', 'fuzzy_hash.id')
    .select(SHOWN)
    .where('fuzzy_hash.id', '=', parameter.id),
);

export const selectSample = query<{ sampleId: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .leftJoin('fuzzy_hash', 'fuzzy_hash.id', 'sample.id')
    .select(SHOWN)
    .where('sample.id', '=', parameter.sampleId),
);

const selectUnfinished = (kind: 'md5' | 'sha1') =>
  query<{ value: Uint8Array }>()((db, parameter) =>
    db
      .selectFrom('upload')
      .select(['sha256', 'file_name', 'uploaded_at'])
      .where(kind, '=', parameter.value)
      // A literal, as in the partial index. Uploads that are done are found by their analyses.
      .where(sql<boolean>`state <> 'done'`),
  );

export const UNFINISHED = { md5: selectUnfinished('md5'), sha1: selectUnfinished('sha1') };

export interface BytesRange {
  from: Uint8Array;
  /** Inclusive. */
  to: Uint8Array;
  limit: number;
}

const selectUploads = (kind: HashKind) =>
  query<BytesRange>()((db, parameter) =>
    db
      .selectFrom('upload')
      .select(['sha256', kind, 'state', 'file_name', 'uploaded_at'])
      .where(kind, '>=', parameter.from)
      .where(kind, '<=', parameter.to)
      .orderBy(kind)
      .limit(parameter.limit),
  );

/** Uploads by a range of hashes, with those that are done. */
export const UPLOADS_IN_RANGE = {
  sha256: selectUploads('sha256'),
  blake3: selectUploads('blake3'),
  sha512: selectUploads('sha512'),
};
