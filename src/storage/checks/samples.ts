import { sql } from 'kysely';
import { parseFuzzyHash } from '../../domain/samples/fuzzy-hash.ts';
import { parseTlsh, tlshBands } from '../../domain/samples/tlsh.ts';
import { findSample, HASH_KINDS, rowIdRange } from '../tables/samples/sample-rows.ts';
import { keysOf } from '../tables/search/fuzzy-index.ts';
import { numberRows, toJsonArray } from '../units/json-arrays.ts';
import { each, rows } from '../units/unit-of-work.ts';
import { hexOf, pagedCheck, statement } from './check.ts';
import { selectJobOf } from './queued-jobs.ts';

const PAGE = 5000;
const GRAMS_PAGE = 500;

interface Hashes {
  readonly sha256: Uint8Array;
  readonly blake3: Uint8Array;
  readonly sha512: Uint8Array;
}

const selectSamples = statement<Hashes & { id: number }, { after: number; limit: number }>(
  (parameter) => sql`
    select id, sha256, blake3, sha512 from sample
    where id > ${parameter.after} order by id limit ${parameter.limit}`,
);

const selectRow = statement<{ id: number }, { from: number; to: number; id: number }>(
  (parameter) => sql`
    select id from sample_hash
    where id >= ${parameter.from} and id <= ${parameter.to} and sample_id = ${parameter.id}`,
);

/** A file is found by each of its three hashes. */
export const hashes = pagedCheck('hashes of files', {
  page: (after) => rows(selectSamples, { after: Number(after ?? -1), limit: PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(found) {
    const wanted = found.flatMap((sample) =>
      HASH_KINDS.map((kind) => ({ kind, sample, ...rowIdRange(hexOf(sample[kind])) })),
    );
    const stored = yield* each(
      selectRow,
      wanted.map(({ from, to, sample: { id } }) => ({ from, to, id })),
    );
    return wanted
      .filter((_, index) => stored[index]?.[0] === undefined)
      .map(({ kind, sample }) => `sample ${hexOf(sample.sha256)}: not found by its ${kind}`);
  },
});

const selectHashRows = statement<
  Hashes & { id: number; sample_id: number },
  { after: number; limit: number }
>(
  (parameter) => sql`
    select sample_hash.id, sample_hash.sample_id, sha256, blake3, sha512
    from sample_hash inner join sample on sample.id = sample_hash.sample_id
    where sample_hash.id > ${parameter.after} order by sample_hash.id limit ${parameter.limit}`,
);

/** A row is only found if its id is in the range of one of the hashes of its file. */
export const hashIds = pagedCheck('ids of hashes', {
  page: (after) => rows(selectHashRows, { after: Number(after ?? -1), limit: PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(found) {
    return found
      .filter((row) => !HASH_KINDS.some((kind) => isInRange(row.id, hexOf(row[kind]))))
      .map(
        ({ id, sha256 }) => `hash of sample ${hexOf(sha256)}: the id ${id} is outside its range`,
      );
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

const selectDigests = statement<{ id: number; text: string }, { after: number; limit: number }>(
  (parameter) => sql`
    select id, text from tlsh where id > ${parameter.after} order by id limit ${parameter.limit}`,
);

const countBands = statement<{ count: number }, { id: number; bands: string }>(
  (parameter, dialect) => sql`
    select count((select 1 from tlsh_band where tlsh_band.band = wanted.value and tlsh_band.tlsh_id = ${parameter.id})) as count
    from ${numberRows(parameter.bands, dialect)} as wanted`,
);

/** Every TLSH digest has all its bands. */
export const bands = pagedCheck('index of similar files by TLSH', {
  page: (after) => rows(selectDigests, { after: Number(after ?? -1), limit: GRAMS_PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(found) {
    const wanted = found.map(({ id, text }) => {
      const digest = parseTlsh(text);
      return { id, keys: digest === undefined ? [] : tlshBands(digest) };
    });
    const counts = yield* each(
      countBands,
      wanted.map(({ id, keys }) => ({ id, bands: toJsonArray(keys) })),
    );
    return wanted
      .filter(({ keys }, index) => keys.length === 0 || counts[index]?.[0]?.count !== keys.length)
      .map(({ id }) => `TLSH digest ${id}: its index is incomplete`);
  },
});

interface UploadState {
  readonly sha256: Uint8Array;
  readonly state: string;
  readonly reason: string | null;
  readonly reanalysis: string | null;
  readonly has_job: number;
}

const selectUploads = statement<UploadState, { after: Uint8Array; limit: number }>(
  (parameter, dialect) => sql`
    select upload.sha256, upload.state, upload.reason, upload.reanalysis, case
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
    for (const { sha256, state, reason, reanalysis, has_job } of found) {
      const hex = hexOf(sha256);
      const isPending = state === 'queued' || state === 'running' || reanalysis === 'queued';
      if (isPending && has_job === 0) wrong.push(`sample ${hex}: it is pending, but has no job`);
      if ((state === 'failed' || reanalysis === 'failed') && reason === null)
        wrong.push(`sample ${hex}: it failed without a reason`);
      if (state === 'done' && (yield* findSample({ hex, kinds: ['sha256'] })) === undefined)
        wrong.push(`sample ${hex}: it is done, but has no analysis`);
    }
    return wrong;
  },
});
