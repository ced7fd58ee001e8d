import { sql } from 'kysely';
import type { FileHash, HashKind } from '../../../domain/samples/file-hash.ts';
import type { SampleRow } from '../../tables.ts';
import { each, ONE, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';

/**
 * The table `sample` has a row for each hash of an analysed file. The row of the SHA-256 is the
 * file: it has the analysis, and `sample_id` of all three rows refers to it. The id of a row starts
 * with the leading digits of the hash, so a hash is found by the primary key.
 */

/** The values of the column `kind`. */
export const KIND_CODES: Readonly<Record<HashKind, number>> = { sha256: 1, blake3: 2, sha512: 3 };

/** 52 bits: the most that a number holds exactly, with a range of ids for each prefix. */
const PREFIX_DIGITS = 13;
/** The ids of a prefix. Of a billion files, two share a prefix; sixteen never will. */
const IDS_PER_PREFIX = 16;

interface IdRange {
  from: number;
  to: number;
}

interface ValueRange extends IdRange {
  value: Uint8Array;
}

const selectByValue = query<ValueRange>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select(['id', 'kind', 'sample_id', 'body'])
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to)
    .where('value', '=', parameter.value),
);

/**
 * Larger analyses are read one by one: a batch has hundreds of lookups, each of up to a megabyte.
 */
const INLINE_BYTES = 16 * 1024;
/** Both databases know the length of a text without reading the text. */
const SIZE = sql<number | null>`octet_length(body)`;
const SMALL_BODY = sql<
  string | null
>`case when octet_length(body) <= ${sql.lit(INLINE_BYTES)} then body end`;

const selectSizedByValue = query<ValueRange>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select(['kind', 'sample_id', SIZE.as('size'), SMALL_BODY.as('small')])
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to)
    .where('value', '=', parameter.value),
);

const selectSized = query<{ id: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select([SIZE.as('size'), SMALL_BODY.as('small')])
    .where('id', '=', parameter.id),
);

const selectBody = query<{ id: number }>()((db, parameter) =>
  db.selectFrom('sample').select('body').where('id', '=', parameter.id),
);

const selectFamily = query<ValueRange>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select('family')
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to)
    .where('value', '=', parameter.value)
    .where('kind', '=', KIND_CODES.sha256)
    // At most one matches. SQLite would read the next row, often of another page.
    .limit(ONE),
);

const selectCandidates = query<IdRange>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select(['id', 'value', 'kind', 'sample_id', 'body'])
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to),
);

export type FoundSample = Pick<SampleRow, 'id' | 'kind' | 'sample_id' | 'body'>;

/** The rows in the id range of a hash. */
export type CandidateRows = readonly (FoundSample & Pick<SampleRow, 'value'>)[];

/** The row of that hash, of the first of its possible kinds that exists. */
export function* findSample(hash: FileHash): UnitOfWork<FoundSample | undefined> {
  return firstOf(hash, yield* rows(selectByValue, valueRange(hash.hex)));
}

function firstOf<Row extends Pick<SampleRow, 'kind'>>(
  { kinds }: FileHash,
  found: readonly Row[],
): Row | undefined {
  for (const kind of kinds) {
    const match = found.find((one) => one.kind === KIND_CODES[kind]);
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
  const matches = hashes.map((hash, index) => firstOf(hash, found[index] ?? []));
  // The rows of other hashes than the SHA-256 have no body. Most lookups are by SHA-256.
  const referenced = [
    ...new Set(matches.flatMap((one) => (one?.size === null ? one.sample_id : []))),
  ];
  const sized = yield* each(
    selectSized,
    referenced.map((id) => ({ id })),
  );
  const bySample = new Map(referenced.map((id, index) => [id, sized[index]?.[0]]));
  return matches.map((one) => {
    const analysis = one?.size === null ? bySample.get(one.sample_id) : one;
    if (one === undefined || analysis === undefined || analysis.size === null) return undefined;
    const { size: sizeBytes, small } = analysis;
    return { body: small ?? undefined, sizeBytes, sampleId: one.sample_id };
  });
}

/** The serialized analysis; `undefined` if it was removed. */
export function* bodyOf(sampleId: number): UnitOfWork<string | undefined> {
  return (yield* row(selectBody, { id: sampleId }))?.body ?? undefined;
}

/** The serialized analysis of the file with this hash. */
export function* findBody(hash: FileHash): UnitOfWork<string | undefined> {
  const found = yield* findSample(hash);
  return found && (found.body ?? (yield* bodyOf(found.sample_id)));
}

/** By hash, for files whose analysis names a family. */
export function* familiesBySha256(
  hashes: readonly string[],
): UnitOfWork<ReadonlyMap<string, string>> {
  const distinct = [...new Set(hashes)];
  const found = yield* each(selectFamily, distinct.map(valueRange));
  return new Map(
    distinct.flatMap((sha256, index) => {
      const family = found[index]?.[0]?.family ?? undefined;
      return family === undefined ? [] : [[sha256, family] as const];
    }),
  );
}

/**
 * For each hash the rows in its id range: its own, if it exists, and others with nearby prefixes.
 */
export function* candidateRows(hashes: readonly string[]): UnitOfWork<readonly CandidateRows[]> {
  return yield* each(selectCandidates, hashes.map(rowIdRange));
}

/** The row of that hash among the candidates. */
export function rowAmong(
  candidates: CandidateRows,
  hex: string,
  kind: HashKind,
): FoundSample | undefined {
  if (candidates.length === 0) return undefined;
  const value = Buffer.from(hex, 'hex');
  return candidates.find((one) => one.kind === KIND_CODES[kind] && value.equals(one.value));
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

function valueRange(hex: string): ValueRange {
  return { ...rowIdRange(hex), value: Buffer.from(hex, 'hex') };
}

/** The ids that the row of a hash may have. */
export function rowIdRange(hex: string): IdRange {
  const from = Number.parseInt(hex.slice(0, PREFIX_DIGITS), 16);
  return { from, to: from + IDS_PER_PREFIX - 1 };
}
