import { type Kysely, sql } from 'kysely';
import type { FileHash, HashKind } from '../../../domain/samples/file-hash.ts';
import { type HashPart, hasPart } from '../../../domain/search-query.ts';
import type { SampleRow, Tables } from '../../schema/tables.ts';
import type { Bounded } from '../../units/bounded.ts';
import { type Dialect, query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The table `sample` has a row for each analysed file, in the order in which they were added. The
 * table `sample_hash` has a row for each of its three hashes. The id of that row starts with the
 * leading digits of the hash, so a file is found by two primary keys. The whole hash is compared
 * with that of the file.
 */

/** The hashes by which a file is found. */
export const HASH_KINDS = ['sha256', 'blake3', 'sha512'] as const satisfies readonly HashKind[];

/** 52 bits: the most that a number holds exactly, with a range of ids for each prefix. */
const PREFIX_DIGITS = 13;
/** The ids of a prefix. Of a billion files, two share a prefix; sixteen never will. */
const IDS_PER_PREFIX = 16;

export interface IdRange {
  from: number;
  to: number;
}

export interface ValueRange extends IdRange {
  value: Uint8Array;
}

/** The files with a hash in the range: the one with the whole hash, and rarely others. */
export function inRange(db: Kysely<Tables>, { from, to }: IdRange, dialect: Dialect) {
  const hashes = db
    .selectFrom('sample_hash')
    .select('sample_id')
    .where('id', '>=', from)
    .where('id', '<=', to)
    // PostgreSQL expects thousands of rows in a range, and would read the other table as a whole.
    .$if(dialect === 'postgres', (found) => found.limit(sql.lit(IDS_PER_PREFIX)));
  return db.selectFrom(hashes.as('found')).innerJoin('sample', 'sample.id', 'found.sample_id');
}

/** Which of its hashes has that value: null if none. The value is bound once. */
function kindOf(value: Uint8Array, dialect: Dialect) {
  const wanted = dialect === 'postgres' ? sql`${value}::bytea` : sql`${value}`;
  return sql<HashKind | null>`
    case ${wanted} when sample.sha256 then 'sha256' when sample.blake3 then 'blake3'
      when sample.sha512 then 'sha512' end`.as('kind');
}

const selectByValue = query<ValueRange>()((db, parameter, dialect) =>
  inRange(db, parameter, dialect).select(['sample.id', kindOf(parameter.value, dialect)]),
);

/**
 * Larger analyses are read one by one: a batch has hundreds of lookups, each of up to a megabyte.
 */
const INLINE_BYTES = 16 * 1024;
/** Both databases know the length of a text without reading the text. */
const SIZE = sql<number>`octet_length(body)`;
const SMALL_BODY = sql<
  string | null
>`case when octet_length(body) <= ${sql.lit(INLINE_BYTES)} then body end`;

const selectSizedByValue = query<ValueRange>()((db, parameter, dialect) =>
  inRange(db, parameter, dialect).select([
    'sample.id',
    kindOf(parameter.value, dialect),
    SIZE.as('size'),
    SMALL_BODY.as('small'),
  ]),
);

const selectBody = query<{ id: number }>()((db, parameter) =>
  db.selectFrom('sample').select('body').where('id', '=', parameter.id),
);

const selectCandidates = query<IdRange>()((db, parameter) =>
  db
    .selectFrom('sample_hash')
    .select(['id', 'sample_id'])
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to),
);

const selectFirstCandidates = query<IdRange & { limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample_hash')
    .select('sample_id')
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to)
    .orderBy('id')
    .limit(parameter.limit),
);

const selectHashes = query<{ id: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select(['id', 'sha256', 'blake3', 'sha512'])
    .where('id', '=', parameter.id),
);

const selectStored = query<{ id: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select(['id', 'sha256', 'blake3', 'sha512', 'body'])
    .where('id', '=', parameter.id),
);

/** The rows in the id range of a hash. */
export type CandidateRows = readonly { readonly id: number; readonly sample_id: number }[];

export type StoredSample = Pick<SampleRow, 'id' | 'sha256' | 'blake3' | 'sha512' | 'body'>;

/** The id of the file with that hash, of the first of its possible kinds that exists. */
export function* findSample(hash: FileHash): UnitOfWork<number | undefined> {
  return firstOf(hash, yield* rows(selectByValue, valueRange(hash.hex)))?.id;
}

/** The ids of the files with these hashes, in their order. */
export function* findSamples(
  hashes: readonly FileHash[],
): UnitOfWork<readonly (number | undefined)[]> {
  const found = yield* each(
    selectByValue,
    hashes.map(({ hex }) => valueRange(hex)),
  );
  return hashes.map((hash, index) => firstOf(hash, found[index] ?? [])?.id);
}

function firstOf<Row extends { readonly kind: HashKind | null }>(
  { kinds }: FileHash,
  found: readonly Row[],
): Row | undefined {
  for (const kind of kinds) {
    const match = found.find((one) => one.kind === kind);
    if (match !== undefined) return match;
  }
  return undefined;
}

export interface SizedAnalysis {
  /** `undefined` if it is large. */
  readonly body: string | undefined;
  readonly sizeBytes: number;
  readonly sampleId: number;
}

/** The analyses of the files with these hashes, in their order. */
export function* findSizedAnalyses(
  hashes: readonly FileHash[],
): UnitOfWork<readonly (SizedAnalysis | undefined)[]> {
  const found = yield* each(
    selectSizedByValue,
    hashes.map(({ hex }) => valueRange(hex)),
  );
  return hashes.map((hash, index) => {
    const one = firstOf(hash, found[index] ?? []);
    return one && { body: one.small ?? undefined, sizeBytes: one.size, sampleId: one.id };
  });
}

/** The serialized analysis; `undefined` if it was removed. */
export function* bodyOf(sampleId: number): UnitOfWork<string | undefined> {
  return (yield* row(selectBody, { id: sampleId }))?.body;
}

/** The serialized analysis of the file with this hash. */
export function* findBody(hash: FileHash): UnitOfWork<string | undefined> {
  const id = yield* findSample(hash);
  return id === undefined ? undefined : yield* bodyOf(id);
}

/**
 * For each hash the rows in its id range: its own, if it exists, and others with nearby prefixes.
 */
export function* candidateRows(hashes: readonly string[]): UnitOfWork<readonly CandidateRows[]> {
  return yield* each(selectCandidates, hashes.map(rowIdRange));
}

/** The files to which these rows refer, by id. */
export function* samplesOfRows(
  candidates: readonly CandidateRows[],
): UnitOfWork<ReadonlyMap<number, StoredSample>> {
  const ids = new Set(candidates.flat().map(({ sample_id }) => sample_id));
  const found = yield* each(
    selectStored,
    [...ids].map((id) => ({ id })),
  );
  return new Map(found.flat().map((sample) => [sample.id, sample]));
}

/** The files of which one of the hashes has this part. */
export function* samplesWithPart(part: HashPart, limit: number): UnitOfWork<Bounded<number>> {
  const start = part.start.slice(0, PREFIX_DIGITS);
  const from = Number.parseInt(start.padEnd(PREFIX_DIGITS, '0'), 16);
  const to = Number.parseInt(start.padEnd(PREFIX_DIGITS, 'f'), 16) + IDS_PER_PREFIX - 1;
  const candidates = yield* rows(selectFirstCandidates, { from, to, limit });
  const ids = new Set(candidates.map(({ sample_id }) => sample_id));
  const samples = yield* each(
    selectHashes,
    [...ids].map((id) => ({ id })),
  );
  const found = samples
    .flat()
    .filter((sample) =>
      HASH_KINDS.some((kind) => hasPart(Buffer.from(sample[kind]).toString('hex'), part)),
    );
  return { found: found.map(({ id }) => id), isBounded: candidates.length >= limit };
}

/** An unused id for a new hash. `taken` are ids that the same transaction uses. */
export function freeRowId(
  hex: string,
  candidates: CandidateRows,
  taken: readonly number[] = [],
): number {
  const { from, to } = rowIdRange(hex);
  const isUsed = (id: number) => taken.includes(id) || candidates.some((one) => one.id === id);
  for (let id = from; id <= to; id += 1) if (!isUsed(id)) return id;
  throw new Error(`more than ${IDS_PER_PREFIX} hashes begin like ${hex.slice(0, PREFIX_DIGITS)}`);
}

/** Id ranges can overlap only if their blocks are equal or adjacent. */
export function idBlockOf(hex: string): number {
  return Math.floor(rowIdRange(hex).from / IDS_PER_PREFIX);
}

export function valueRange(hex: string): ValueRange {
  const { from, to } = rowIdRange(hex);
  return { from, to, value: Buffer.from(hex, 'hex') };
}

/** The ids that the row of a hash may have. */
export function rowIdRange(hex: string): IdRange {
  const from = Number.parseInt(hex.slice(0, PREFIX_DIGITS), 16);
  return { from, to: from + IDS_PER_PREFIX - 1 };
}
