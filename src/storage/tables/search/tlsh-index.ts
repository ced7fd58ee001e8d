import { sql } from 'kysely';
import {
  MAX_TLSH_DISTANCE,
  neighbourBands,
  parseTlsh,
  type Tlsh,
  tlshBands,
  tlshDistance,
} from '../../../domain/samples/tlsh.ts';
import { inChunks } from '../../units/chunks.ts';
import {
  jsonArrayAgg,
  numberRows,
  parseJsonNumbers,
  toJsonArray,
} from '../../units/json-arrays.ts';
import { query } from '../../units/query.ts';
import { allInParallel, each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The index of files that are similar by TLSH: sixteen bands of each digest. A query reads its own
 * bands and those that differ by one step. A file at distance 50 shares one of them almost always,
 * one at distance 100 four times in five.
 */

/**
 * The files read in a band, newest first. With some 200 bands, a query reads at most 20,000 rows
 * of the index, however large the store is.
 */
const MAX_OF_BAND = 100;
/**
 * The bands of one statement, which reads at most 3,200 rows: SQLite runs a statement in one turn
 * of the event loop.
 */
const BANDS_AT_ONCE = 32;
/** Those that share the most bands are compared. */
const MAX_CANDIDATES = 1000;
/** The digests of one statement. */
const DIGESTS_AT_ONCE = 250;
/** An equal band says more than one that differs by a step. */
const WEIGHT_OF_EQUAL = 2;

const selectDigest = query<{ id: number }>()((db, parameter) =>
  db.selectFrom('tlsh').select('text').where('id', '=', parameter.id),
);

const insertDigest = query<{ id: number; text: string }>()((db, parameter) =>
  db.insertInto('tlsh').values({ id: parameter.id, text: parameter.text }),
);

const deleteDigest = query<{ id: number }>()((db, parameter) =>
  db.deleteFrom('tlsh').where('id', '=', parameter.id),
);

const insertBands = query<{ id: number; bands: string }>()((db, parameter, dialect) =>
  db
    .insertInto('tlsh_band')
    .columns(['band', 'tlsh_id'])
    .expression((from) =>
      from
        .selectFrom(numberRows(parameter.bands, dialect).as('wanted'))
        .select(['wanted.value', sql<number>`cast(${parameter.id} as bigint)`.as('id')]),
    ),
);

/** By the whole key: by the digest alone, a database would read the whole index. */
const deleteBand = query<{ band: number; id: number }>()((db, parameter) =>
  db.deleteFrom('tlsh_band').where('band', '=', parameter.band).where('tlsh_id', '=', parameter.id),
);

/** The newest files of each band. */
const selectWithBands = query<{ bands: string; limit: number }>()((db, parameter, dialect) =>
  db.selectFrom(numberRows(parameter.bands, dialect).as('wanted')).select((from) => [
    'wanted.value as band',
    from
      .selectFrom((inner) =>
        inner
          .selectFrom('tlsh_band')
          .select('tlsh_id as id')
          .whereRef('band', '=', 'wanted.value')
          .orderBy('tlsh_id', 'desc')
          .limit(parameter.limit)
          .as('newest'),
      )
      .select(({ ref }) => jsonArrayAgg(ref('newest.id'), dialect).as('ids'))
      .as('ids'),
  ]),
);

const selectCandidates = query<{ ids: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('tlsh')
    .select(['id', 'text'])
    .where('id', 'in', (from) =>
      from.selectFrom(numberRows(parameter.ids, dialect).as('wanted')).select('wanted.value'),
    ),
);

/** Replaces the digest of a sample. The caller has locked the file. */
export function* putTlsh(sampleId: number, text: string | undefined): UnitOfWork<void> {
  const digest = parseTlsh(text ?? '');
  const stored = (yield* row(selectDigest, { id: sampleId }))?.text;
  if (stored === text) return;
  if (stored !== undefined) yield* removeTlsh([sampleId]);
  if (text === undefined || digest === undefined) return;
  yield* rows(insertDigest, { id: sampleId, text });
  yield* rows(insertBands, { id: sampleId, bands: toJsonArray(tlshBands(digest)) });
}

export function* removeTlsh(sampleIds: readonly number[]): UnitOfWork<void> {
  const answers = yield* each(
    selectDigest,
    sampleIds.map((id) => ({ id })),
  );
  const stored = sampleIds.flatMap((id, index) =>
    (answers[index] ?? []).map(({ text }) => ({ id, text })),
  );
  yield* each(
    deleteBand,
    stored.flatMap(({ id, text }) => bandsOf(text).map((band) => ({ band, id }))),
  );
  yield* each(
    deleteDigest,
    stored.map(({ id }) => ({ id })),
  );
}

export function* findTlsh(sampleId: number): UnitOfWork<Tlsh | undefined> {
  return parseTlsh((yield* row(selectDigest, { id: sampleId }))?.text ?? '');
}

/** The samples within the greatest distance, nearest first, then newest first. */
export function* nearestByTlsh(
  target: Tlsh,
  sampleId: number | undefined,
): UnitOfWork<readonly number[]> {
  const candidates = yield* candidatesOf(target);
  const found = yield* allInParallel(
    inChunks(candidates, DIGESTS_AT_ONCE).map((some) =>
      rows(selectCandidates, { ids: toJsonArray(some) }),
    ),
  );
  const near: { readonly id: number; readonly distance: number }[] = [];
  for (const { id, text } of found.flat()) {
    const other = id === sampleId ? undefined : parseTlsh(text);
    const distance = other === undefined ? Number.POSITIVE_INFINITY : tlshDistance(target, other);
    if (distance <= MAX_TLSH_DISTANCE) near.push({ id, distance });
  }
  return near.sort((a, b) => a.distance - b.distance || b.id - a.id).map(({ id }) => id);
}

function* candidatesOf(target: Tlsh): UnitOfWork<readonly number[]> {
  const own = new Set(tlshBands(target));
  const chunks = inChunks([...own, ...neighbourBands(target)], BANDS_AT_ONCE);
  const found = yield* allInParallel(
    chunks.map((bands) => rows(selectWithBands, { bands: toJsonArray(bands), limit: MAX_OF_BAND })),
  );
  const weights = new Map<number, number>();
  for (const { band, ids } of found.flat()) {
    const weight = own.has(band) ? WEIGHT_OF_EQUAL : 1;
    for (const id of parseJsonNumbers(ids ?? undefined))
      weights.set(id, (weights.get(id) ?? 0) + weight);
  }
  return heaviest(weights, MAX_CANDIDATES);
}

/** The ids with the greatest weights, of equal ones the greatest ids, in no order. */
function heaviest(weights: ReadonlyMap<number, number>, count: number): readonly number[] {
  const byWeight: number[][] = [];
  for (const [id, weight] of weights) {
    const ids = byWeight[weight];
    if (ids === undefined) byWeight[weight] = [id];
    else ids.push(id);
  }
  const chosen: number[] = [];
  for (let weight = byWeight.length - 1; weight > 0 && chosen.length < count; weight -= 1)
    chosen.push(...greatest(byWeight[weight] ?? [], count - chosen.length));
  return chosen;
}

/**
 * The greatest of distinct numbers, in no order. Sorting 20,000 of them takes more than half of the
 * time of a search.
 */
function greatest(numbers: readonly number[], count: number): readonly number[] {
  if (numbers.length <= count) return numbers;
  // At least `count` numbers are not below `low`, and fewer not below `high`.
  let low = 0;
  let high = numbers.reduce((most, number) => Math.max(most, number), 0) + 1;
  let between = numbers;
  let above = 0;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const upper = between.filter((number) => number >= middle);
    if (above + upper.length >= count) {
      low = middle;
      between = upper;
    } else {
      high = middle;
      above += upper.length;
      between = between.filter((number) => number < middle);
    }
  }
  return numbers.filter((number) => number >= low);
}

function bandsOf(text: string): readonly number[] {
  const digest = parseTlsh(text);
  return digest === undefined ? [] : tlshBands(digest);
}
