import { sql } from 'kysely';
import type { FileHash, HashKind } from '../../../domain/samples/file-hash.ts';
import type { SampleRow } from '../../tables.ts';
import { each, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';

/** How the kinds are stored. */
export const DIGEST_KINDS: Readonly<Record<HashKind, number>> = { sha256: 1, blake3: 2, sha512: 3 };

/** 52 bits: the most that a number holds exactly, with room for those that begin alike. */
const PREFIX_DIGITS = 13;
/** As many hashes may begin alike. Of a billion files two do; sixteen would take more than there are. */
const ALIKE = 16;

interface Range {
  from: number;
  to: number;
}

interface ValueRange extends Range {
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

/** Larger ones are read on their own: of hundreds that are looked up together, each may have a megabyte. */
const INLINE_BYTES = 16 * 1024;
/** Both databases know the length of a text without reading it. */
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
    .where('kind', '=', DIGEST_KINDS.sha256),
);

const selectAround = query<Range>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select(['id', 'value', 'kind', 'sample_id', 'body'])
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to),
);

export type FoundDigest = Pick<SampleRow, 'id' | 'kind' | 'sample_id' | 'body'>;

/** Whatever stands where the row of a hash may be. */
export type DigestsAround = readonly (FoundDigest & Pick<SampleRow, 'value'>)[];

/** The row of that hash, as the first of the kinds that it can be and that is there. */
export function* findDigest(hash: FileHash): UnitOfWork<FoundDigest | undefined> {
  return firstOf(hash, yield* rows(selectByValue, valueRange(hash.hex)));
}

function firstOf<Digest extends Pick<SampleRow, 'kind'>>(
  { kinds }: FileHash,
  found: readonly Digest[],
): Digest | undefined {
  for (const kind of kinds) {
    const digest = found.find((one) => one.kind === DIGEST_KINDS[kind]);
    if (digest !== undefined) return digest;
  }
  return undefined;
}

/** A report that was found: its text where it is small. */
export interface SizedReport {
  readonly body: string | undefined;
  readonly sizeBytes: number;
  readonly sampleId: number;
}

/** The reports of the files that have these hashes, in their order. */
export function* findSized(
  hashes: readonly FileHash[],
): UnitOfWork<readonly (SizedReport | undefined)[]> {
  const found = yield* each(
    selectSizedByValue,
    hashes.map(({ hex }) => valueRange(hex)),
  );
  const digests = hashes.map((hash, index) => firstOf(hash, found[index] ?? []));
  // Another hash than the SHA-256 leads to it.
  const elsewhere = [
    ...new Set(digests.flatMap((one) => (one?.size === null ? one.sample_id : []))),
  ];
  const sized = yield* each(
    selectSized,
    elsewhere.map((id) => ({ id })),
  );
  const bySample = new Map(elsewhere.map((id, index) => [id, sized[index]?.[0]]));
  return digests.map((one) => {
    const report = one?.size === null ? bySample.get(one.sample_id) : one;
    if (one === undefined || report === undefined || report.size === null) return undefined;
    const { size: sizeBytes, small } = report;
    return { body: small ?? undefined, sizeBytes, sampleId: one.sample_id };
  });
}

/** The text of one report; `undefined` where it is gone. */
export function* bodyOf(sampleId: number): UnitOfWork<string | undefined> {
  return (yield* row(selectBody, { id: sampleId }))?.body ?? undefined;
}

/** The report of the file that has this hash. */
export function* findBody(hash: FileHash): UnitOfWork<string | undefined> {
  const digest = yield* findDigest(hash);
  return digest && (digest.body ?? (yield* bodyOf(digest.sample_id)));
}

/** The families of files whose analysis names one. */
export function* familiesBySha256(
  hashes: readonly string[],
): UnitOfWork<ReadonlyMap<string, string>> {
  const asked = [...new Set(hashes)];
  const found = yield* each(selectFamily, asked.map(valueRange));
  return new Map(
    asked.flatMap((sha256, place) => {
      const family = found[place]?.[0]?.family ?? undefined;
      return family === undefined ? [] : [[sha256, family] as const];
    }),
  );
}

/** For each hash what stands where its row may be: itself, if it is there, and others that begin alike. */
export function* digestsAround(hashes: readonly string[]): UnitOfWork<readonly DigestsAround[]> {
  return yield* each(selectAround, hashes.map(digestIds));
}

/** The row of that very hash among them. */
export function digestAmong(
  around: DigestsAround,
  hex: string,
  kind: HashKind,
): FoundDigest | undefined {
  const value = Buffer.from(hex, 'hex');
  return around.find((one) => one.kind === DIGEST_KINDS[kind] && value.equals(one.value));
}

/** A free id for a hash that is not there yet. `taken` are ids that are about to be used. */
export function freeDigestId(
  hex: string,
  around: DigestsAround,
  taken: readonly number[] = [],
): number {
  const { from, to } = digestIds(hex);
  const used = new Set([...around.map(({ id }) => id), ...taken]);
  for (let id = from; id <= to; id += 1) if (!used.has(id)) return id;
  throw new Error(`more than ${ALIKE} hashes begin like ${hex.slice(0, PREFIX_DIGITS)}`);
}

/** Rows of hashes of one neighbourhood, or of two that follow each other, may take each other's places; no others do. */
export function neighbourhoodOf(hex: string): number {
  return Math.floor(digestIds(hex).from / ALIKE);
}

function valueRange(hex: string): ValueRange {
  return { ...digestIds(hex), value: Buffer.from(hex, 'hex') };
}

/** Where the row of a hash may be. */
export function digestIds(hex: string): Range {
  const from = Number.parseInt(hex.slice(0, PREFIX_DIGITS), 16);
  return { from, to: from + ALIKE - 1 };
}
