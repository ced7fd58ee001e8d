import { sql } from 'kysely';
import { parseFuzzyHash } from '../../domain/samples/fuzzy-hash.ts';
import { numberRows, toJsonArray } from '../sql/json-arrays.ts';
import { findSample, KIND_CODES, rowIdRange } from '../sql/samples/sample-rows.ts';
import { keysOf } from '../sql/search/fuzzy-index.ts';
import { each, rows } from '../unit-of-work.ts';
import { hexOf, never, noneOf, statement, walk } from './check.ts';

const PAGE = 5000;
const GRAMS_PAGE = 500;
const SHA256 = sql.lit(KIND_CODES.sha256);
const BLAKE3 = sql.lit(KIND_CODES.blake3);
const SHA512 = sql.lit(KIND_CODES.sha512);

/** The three hashes of a file lead to each other. */
export const digests = noneOf('hashes of files', [
  never(
    'SHA-256, without a report or one of the other hashes',
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
  never(
    'BLAKE3 or SHA-512, of a file that does not know it',
    () => sql`
      select sample.value from sample
      where sample.kind <> ${SHA256} and not exists (
        select 1 from sample as file
        where file.id = sample.sample_id and file.kind = ${SHA256}
          and sample.id = case sample.kind when ${BLAKE3} then file.blake3_id else file.sha512_id end
      )`,
  ),
]);

const selectDigests = statement<
  { id: number; value: Uint8Array },
  { after: number; limit: number }
>(
  (parameter) => sql`
    select id, value from sample where id > ${parameter.after} order by id limit ${parameter.limit}`,
);

/** A hash is looked for only where its id says. */
export const digestPlaces = walk('places of hashes', {
  page: (after) => rows(selectDigests, { after: Number(after ?? -1), limit: PAGE }),
  keyOf: ({ id }) => id,
  *wrongIn(found) {
    return found
      .filter(({ id, value }) => !isAtHome(id, hexOf(value)))
      .map(({ id, value }) => `hash ${hexOf(value)}: nobody looks for it at ${id}`);
  },
});

function isAtHome(id: number, hex: string): boolean {
  const { from, to } = rowIdRange(hex);
  return from <= id && id <= to;
}

const selectHashes = statement<{ id: number; text: string }, { after: number; limit: number }>(
  (parameter) => sql`
    select id, text from fuzzy_hash where id > ${parameter.after} and due = 0 and text <> ''
    order by id limit ${parameter.limit}`,
);

const countGrams = statement<{ count: number }, { id: number; grams: string }>(
  (parameter, dialect) => sql`
    select count((select 1 from gram where gram.gram = wanted.value and gram.fuzzy_hash_id = ${parameter.id})) as count
    from ${numberRows(parameter.grams, dialect)} as wanted`,
);

/** By its grams a file is found among similar ones. */
export const grams = walk('index of similar files', {
  page: (after) => rows(selectHashes, { after: Number(after ?? -1), limit: GRAMS_PAGE }),
  keyOf: ({ id }) => id,
  *wrongIn(found) {
    const wanted = found.map(({ id, text }) => {
      const hash = parseFuzzyHash(text);
      return { id, keys: hash === undefined ? [] : keysOf(hash) };
    });
    const counts = yield* each(
      countGrams,
      wanted.map(({ id, keys }) => ({ id, grams: toJsonArray(keys) })),
    );
    return wanted
      .filter(({ keys }, place) => (counts[place]?.[0]?.count ?? 0) !== keys.length)
      .map(({ id }) => `fuzzy hash ${id}: its index is incomplete`);
  },
});

interface Uploaded {
  readonly sha256: Uint8Array;
  readonly state: string;
  readonly reason: string | null;
  readonly has_job: number;
}

/** A job is in a table beside the rest, or with pg-boss; in both its key is the hash. */
const selectUploads = statement<Uploaded, { after: Uint8Array; limit: number }>(
  (parameter, dialect) => sql`
    select upload.sha256, upload.state, upload.reason, case when exists (${
      dialect === 'sqlite'
        ? sql`select 1 from job where job.kind = 'analyse' and job.key = lower(hex(upload.sha256))`
        : sql`
          select 1 from pgboss.job
          where job.name = 'analyse' and job.singleton_key = encode(upload.sha256, 'hex')
            and job.state <= 'active'`
    }) then 1 else 0 end as has_job
    from upload where upload.sha256 > ${parameter.after} order by upload.sha256 limit ${parameter.limit}`,
);

const UPLOADS_PAGE = 1000;

/** Every accepted sample ends done or failed: with a report, or with a reason. */
export const uploads = walk('states of samples', {
  page: (after) =>
    rows(selectUploads, { after: Buffer.from(String(after ?? ''), 'hex'), limit: UPLOADS_PAGE }),
  keyOf: ({ sha256 }) => hexOf(sha256),
  *wrongIn(found) {
    const wrong: string[] = [];
    for (const { sha256, state, reason, has_job } of found) {
      const hex = hexOf(sha256);
      const isPending = state === 'queued' || state === 'running';
      if (isPending && has_job === 0) wrong.push(`sample ${hex}: it waits, but has no job`);
      if (state === 'failed' && reason === null)
        wrong.push(`sample ${hex}: it failed for no reason`);
      if (state === 'done' && (yield* findSample({ hex, kinds: ['sha256'] })) === undefined)
        wrong.push(`sample ${hex}: it is done, but has no report`);
    }
    return wrong;
  },
});
