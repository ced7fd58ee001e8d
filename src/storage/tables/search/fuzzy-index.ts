import { sql } from 'kysely';
import { type FuzzyHash, fuzzyGrams, parseFuzzyHash } from '../../../domain/samples/fuzzy-hash.ts';
import type { IndexedAnalysis, Serializers } from '../../../ports/store.ts';
import type { FuzzyHashRow } from '../../schema/tables.ts';
import { advanceBackFill, backFillPosition } from '../../units/back-fill.ts';
import { numberRows, toJsonArray } from '../../units/json-arrays.ts';
import { lockTask } from '../../units/locks.ts';
import { all, query } from '../../units/query.ts';
import { allInParallel, each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The index of similar files: every gram of every fuzzy hash. An analysis has some eighty,
 * scattered over the index. Written in the transactions of an import they took five to eight times
 * as long as the analyses. So the import marks them as due, and `indexSimilar` writes them in
 * slices.
 */

/** The largest signed 32-bit prime. A collision only adds a candidate, which is compared anyway. */
const GRAM_MODULUS = 2_147_483_647;

const insertHash = query<FuzzyHashRow>()((db, parameter) =>
  db
    .insertInto('fuzzy_hash')
    .values(all(parameter, ['id', 'text', 'file_name', 'tags', 'due']))
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

/** Locked, so that `due` holds until the commit: otherwise grams could be left after a removal. */
const selectHash = query<{ id: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('fuzzy_hash')
    .select(['id', 'text', 'due'])
    .where('id', '=', parameter.id)
    .$if(dialect === 'postgres', (hash) => hash.forUpdate()),
);

const updateShown = query<Pick<FuzzyHashRow, 'id' | 'file_name' | 'tags'>>()((db, parameter) =>
  db
    .updateTable('fuzzy_hash')
    .set(all(parameter, ['file_name', 'tags']))
    .where('id', '=', parameter.id),
);

const deleteHash = query<{ id: number }>()((db, parameter) =>
  db.deleteFrom('fuzzy_hash').where('id', '=', parameter.id),
);

const insertGrams = query<{ id: number; grams: string }>()((db, parameter, dialect) =>
  db
    .insertInto('gram')
    .columns(['gram', 'fuzzy_hash_id'])
    .expression((from) =>
      from
        .selectFrom(numberRows(parameter.grams, dialect).as('wanted'))
        .select(['wanted.value', sql<number>`cast(${parameter.id} as bigint)`.as('id')]),
    ),
);

/** By the whole key: by the hash alone, a database would read the whole index. */
const deleteGram = query<{ gram: number; id: number }>()((db, parameter) =>
  db
    .deleteFrom('gram')
    .where('gram', '=', parameter.gram)
    .where('fuzzy_hash_id', '=', parameter.id),
);

const selectDue = query<{ limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('fuzzy_hash')
    .select(['id', 'text', 'due'])
    // A literal, as in the partial index: a parameter would not match the index.
    .where('due', '=', sql<number>`1`)
    .orderBy('id')
    .limit(parameter.limit)
    // A locked row is being indexed or removed by another transaction.
    .$if(dialect === 'postgres', (hash) => hash.forUpdate().skipLocked()),
);

const markIndexed = query<{ id: number }>()((db, parameter) =>
  db.updateTable('fuzzy_hash').set({ due: 0 }).where('id', '=', parameter.id),
);

type HashRow = Pick<FuzzyHashRow, 'id' | 'text' | 'due'>;

export interface AnalysedSample {
  readonly sampleId: number;
  /** A new sample has no fuzzy hash yet. */
  readonly isNew: boolean;
  readonly analysis: IndexedAnalysis;
}

/**
 * Writes the fuzzy hashes of different samples. Their grams are due, unless the hash is unchanged.
 */
export function* putFuzzyHashes(samples: readonly AnalysedSample[]): UnitOfWork<void> {
  const known = samples.filter(({ isNew }) => !isNew);
  const found = yield* each(
    selectHash,
    known.map(({ sampleId: id }) => ({ id })),
  );
  const bySample = new Map(known.map(({ sampleId }, index) => [sampleId, found[index]?.[0]]));
  const unchanged: Pick<FuzzyHashRow, 'id' | 'file_name' | 'tags'>[] = [];
  const replaced: HashRow[] = [];
  const added: FuzzyHashRow[] = [];
  for (const { sampleId, analysis } of samples) {
    const stored = bySample.get(sampleId);
    const values = toRow(sampleId, analysis);
    if (stored?.text === values.text) {
      unchanged.push({ id: stored.id, file_name: values.file_name, tags: values.tags });
      continue;
    }
    if (stored !== undefined) replaced.push(stored);
    added.push(values);
  }
  yield* each(updateShown, unchanged);
  yield* allInParallel(replaced.map(remove));
  yield* each(insertHash, added);
}

export function* removeFuzzyHash(sampleId: number): UnitOfWork<void> {
  const stored = yield* row(selectHash, { id: sampleId });
  if (stored !== undefined) yield* remove(stored);
}

/** Writes the grams of this sample if they are due. */
export function* indexNow(sampleId: number): UnitOfWork<void> {
  const stored = yield* row(selectHash, { id: sampleId });
  if (stored?.due === 1) yield* writeGrams(stored);
}

/**
 * Adds old analyses, and writes grams that are due, at most `limit` of each. Returns the larger
 * number.
 */
export function* indexSimilar(limit: number, serializers: Serializers): UnitOfWork<number> {
  yield* lockTask('index similar');
  const old = yield* backFill(limit, serializers);
  const due = yield* rows(selectDue, { limit });
  for (const one of due) yield* writeGrams(one);
  return Math.max(old, due.length);
}

/** The keys of a fuzzy hash in the index, sorted. */
export function keysOf(hash: FuzzyHash): readonly number[] {
  const keys = new Set(fuzzyGrams(hash).map((gram) => gram % GRAM_MODULUS));
  return keys.size === 0 ? keyOfShort(hash) : [...keys].sort((a, b) => a - b);
}

/** A hash that is too short for grams is similar to equal ones only. An empty one has no key. */
function keyOfShort({ blockSize, first, second }: FuzzyHash): readonly number[] {
  if (first === '' && second === '') return [];
  // Repeated characters are collapsed, as in the comparison, so that equal hashes have the same
  // key.
  const text = `${blockSize}:${first}:${second}`.replace(/(.)\1+/g, '$1');
  let key = 0;
  for (const character of text) key = (key * 128 + character.charCodeAt(0)) % GRAM_MODULUS;
  return [key];
}

function gramsOf(text: string): readonly number[] {
  const hash = parseFuzzyHash(text);
  return hash === undefined ? [] : keysOf(hash);
}

function* writeGrams({ id, text }: HashRow): UnitOfWork<void> {
  yield* rows(insertGrams, { id, grams: toJsonArray(gramsOf(text)) });
  yield* rows(markIndexed, { id });
}

function* remove({ id, text, due }: HashRow): UnitOfWork<void> {
  if (due === 0)
    yield* each(
      deleteGram,
      gramsOf(text).map((gram) => ({ gram, id })),
    );
  yield* rows(deleteHash, { id });
}

/** The id of a fuzzy hash is that of its sample. */
function toRow(id: number, analysis: IndexedAnalysis): FuzzyHashRow {
  const text = parseFuzzyHash(analysis.ssdeep) === undefined ? '' : analysis.ssdeep;
  return {
    id,
    text,
    file_name: analysis.fileName,
    tags: JSON.stringify(analysis.tags),
    due: text === '' ? 0 : 1,
  };
}

const BACK_FILL = 'fuzzy_hash';

const selectAnalyses = query<{ after: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select(['id', 'body'])
    .where('id', '>', parameter.after)
    .orderBy('id')
    .limit(parameter.limit),
);

/** Adds analyses that were stored before this index existed. */
function* backFill(limit: number, serializers: Serializers): UnitOfWork<number> {
  const after = yield* backFillPosition(BACK_FILL);
  if (after === undefined || serializers.readAnalysis === undefined) return 0;
  const analyses = yield* rows(selectAnalyses, { after, limit });
  for (const { id, body } of analyses) {
    const analysis = serializers.readAnalysis(body);
    // A sample that was stored again since has its row already, which stays.
    if (analysis !== undefined) yield* rows(insertHash, toRow(id, analysis));
  }
  yield* advanceBackFill(BACK_FILL, analyses.at(-1)?.id);
  return analyses.length;
}
