import { sql } from 'kysely';
import { parseFuzzyHash } from '../../domain/samples/fuzzy-hash.ts';
import { numberRows, toJsonArray } from '../sql/json-arrays.ts';
import { findSample, KIND_CODES, rowIdRange } from '../sql/samples/sample-rows.ts';
import { keysOf } from '../sql/search/fuzzy-index.ts';
import { each, rows } from '../unit-of-work.ts';
import { forbiddenRows, forbiddenRowsCheck, hexOf, pagedCheck, statement } from './check.ts';
import { selectJobOf } from './queued-jobs.ts';

const PAGE = 5000;
const GRAMS_PAGE = 500;
const SHA256 = sql.lit(KIND_CODES.sha256);
const BLAKE3 = sql.lit(KIND_CODES.blake3);
const SHA512 = sql.lit(KIND_CODES.sha512);

/** The rows of the three hashes of a file refer to each other. */
export const hashes = forbiddenRowsCheck('hashes of files', [
  forbiddenRows(
    'SHA-256, without an analysis or one of the other hashes',
    () => sql`
      select sample.value from sample
      where sample.kind = ${SHA256} and (
        sample.sample_id <> sample.id or sample.body is null
        or not exists (
          select 1 from sample as other
          where other.id = sample.blake3_id and other.kind = ${BLAKE3} and other.sample_id = sample.id
        )
        or not exists (
          select 1 from sample as other
          where other.id = sample.sha512_id and other.kind = ${SHA512} and other.sample_id = sample.id
        )
      )`,
  ),
  forbiddenRows(
    'BLAKE3 or SHA-512, of a file that does not refer to it',
    () => sql`
      select sample.value from sample
      where sample.kind <> ${SHA256} and not exists (
        select 1 from sample as file
        where file.id = sample.sample_id and file.kind = ${SHA256}
          and sample.id = case sample.kind when ${BLAKE3} then file.blake3_id else file.sha512_id end
      )`,
  ),
]);

const selectHashRows = statement<
  { id: number; value: Uint8Array },
  { after: number; limit: number }
>(
  (parameter) => sql`
    select id, value from sample where id > ${parameter.after} order by id limit ${parameter.limit}`,
);

/** A hash is only found if the id of its row is in the range of its prefix. */
export const hashIds = pagedCheck('ids of hashes', {
  page: (after) => rows(selectHashRows, { after: Number(after ?? -1), limit: PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(found) {
    return found
      .filter(({ id, value }) => !isInRange(id, hexOf(value)))
      .map(({ id, value }) => `hash ${hexOf(value)}: the id ${id} is outside its range`);
  },
});

function isInRange(id: number, hex: string): boolean {
  const { from, to } = rowIdRange(hex);
  return from <= id && id <= to;
}

const selectFuzzyHashes = statement<{ id: number; text: string }, { after: number; limit: number }>(
  (parameter) => sql`
    select id, text from fuzzy_hash where id > ${parameter.after} and due = 0 and text <> ''
    order by id limit ${parameter.limit}`,
);

const countGrams = statement<{ count: number }, { id: number; grams: string }>(
  (parameter, dialect) => sql`
    select count((select 1 from gram where gram.gram = wanted.value and gram.fuzzy_hash_id = ${parameter.id})) as count
    from ${numberRows(parameter.grams, dialect)} as wanted`,
);

/** Every fuzzy hash that is not due has all its grams. */
export const grams = pagedCheck('index of similar files', {
  page: (after) => rows(selectFuzzyHashes, { after: Number(after ?? -1), limit: GRAMS_PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(found) {
    const wanted = found.map(({ id, text }) => {
      const hash = parseFuzzyHash(text);
      return { id, keys: hash === undefined ? [] : keysOf(hash) };
    });
    const counts = yield* each(
      countGrams,
      wanted.map(({ id, keys }) => ({ id, grams: toJsonArray(keys) })),
    );
    return wanted
      .filter(({ keys }, index) => (counts[index]?.[0]?.count ?? 0) !== keys.length)
      .map(({ id }) => `fuzzy hash ${id}: its index is incomplete`);
  },
});

interface UploadState {
  readonly sha256: Uint8Array;
  readonly state: string;
  readonly reason: string | null;
  readonly has_job: number;
}

const selectUploads = statement<UploadState, { after: Uint8Array; limit: number }>(
  (parameter, dialect) => sql`
    select upload.sha256, upload.state, upload.reason, case
      when exists (${selectJobOf(sql.ref('upload.sha256'), dialect)}) then 1 else 0 end as has_job
    from upload where upload.sha256 > ${parameter.after} order by upload.sha256 limit ${parameter.limit}`,
);

const UPLOADS_PAGE = 1000;

/** A pending upload has a job, a failed one a reason, and one that is done an analysis. */
export const uploads = pagedCheck('states of samples', {
  page: (after) =>
    rows(selectUploads, { after: Buffer.from(String(after ?? ''), 'hex'), limit: UPLOADS_PAGE }),
  keyOf: ({ sha256 }) => hexOf(sha256),
  *findingsIn(found) {
    const wrong: string[] = [];
    for (const { sha256, state, reason, has_job } of found) {
      const hex = hexOf(sha256);
      const isPending = state === 'queued' || state === 'running';
      if (isPending && has_job === 0) wrong.push(`sample ${hex}: it is pending, but has no job`);
      if (state === 'failed' && reason === null)
        wrong.push(`sample ${hex}: it failed without a reason`);
      if (state === 'done' && (yield* findSample({ hex, kinds: ['sha256'] })) === undefined)
        wrong.push(`sample ${hex}: it is done, but has no analysis`);
    }
    return wrong;
  },
});
