import { sql } from 'kysely';
import { type FuzzyHash, fuzzyGrams, parseFuzzyHash } from '../../../domain/samples/fuzzy-hash.ts';
import type { Likeness, Serializers } from '../../../ports/store.ts';
import type { FuzzyHashRow } from '../../tables.ts';
import {
  all,
  each,
  inParallel,
  lockTask,
  query,
  row,
  rows,
  type UnitOfWork,
} from '../../unit-of-work.ts';
import { numbersOf, toList } from '../json-arrays.ts';
import { DIGEST_KINDS } from '../samples/sample-rows.ts';
import { moveTo, positionOf } from './back-fill.ts';

/**
 * The index of similar files: every gram of every fuzzy hash. A report brings some eighty of them, which lie all over
 * the index; written in the transactions of an import they took five to eight times as long as the reports
 * themselves. So they are marked as due there, and follow a few reports at a time (`indexSimilar`).
 */

/** The largest prime that four bytes hold. Grams that then fall together only bring a candidate more, which is compared anyway. */
const KEYS = 2_147_483_647;

const insertHash = query<Omit<FuzzyHashRow, 'id'>>()((db, parameter) =>
  db
    .insertInto('fuzzy_hash')
    .values(all(parameter, ['sample_id', 'text', 'file_name', 'tags', 'due']))
    .onConflict((conflict) => conflict.column('sample_id').doNothing()),
);

/** Whether its grams are there must stay so until the commit: otherwise some would be left when it goes. */
const selectHash = query<{ sampleId: number }>()((db, parameter, dialect) =>
  db
    .selectFrom('fuzzy_hash')
    .select(['id', 'text', 'due'])
    .where('sample_id', '=', parameter.sampleId)
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
        .selectFrom(numbersOf(parameter.grams, dialect).as('wanted'))
        .select(['wanted.value', sql<number>`cast(${parameter.id} as bigint)`.as('id')]),
    ),
);

/** By the whole key: of the hash alone, a database would read the index from end to end. */
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
    // In the text of the query, so that it is seen to be that of the index.
    .where('due', '=', sql<number>`1`)
    .orderBy('id')
    .limit(parameter.limit)
    // Somebody else is at work on it, and does this too.
    .$if(dialect === 'postgres', (hash) => hash.forUpdate().skipLocked()),
);

const markIndexed = query<{ id: number }>()((db, parameter) =>
  db.updateTable('fuzzy_hash').set({ due: 0 }).where('id', '=', parameter.id),
);

type Indexed = Pick<FuzzyHashRow, 'id' | 'text' | 'due'>;

export interface LikenessOf {
  readonly sampleId: number;
  readonly likeness: Likeness;
}

/** Keeps what reports of different files are found by. Their grams are due, unless they are there already. */
export function* putLikenesses(list: readonly LikenessOf[]): UnitOfWork<void> {
  const found = yield* each(
    selectHash,
    list.map(({ sampleId }) => ({ sampleId })),
  );
  const same: Pick<FuzzyHashRow, 'id' | 'file_name' | 'tags'>[] = [];
  const gone: Indexed[] = [];
  const added: Omit<FuzzyHashRow, 'id'>[] = [];
  for (const [place, { sampleId, likeness }] of list.entries()) {
    const known = found[place]?.[0];
    const values = toRow(sampleId, likeness);
    if (known?.text === values.text) {
      same.push({ id: known.id, file_name: values.file_name, tags: values.tags });
      continue;
    }
    if (known !== undefined) gone.push(known);
    added.push(values);
  }
  yield* each(updateShown, same);
  yield* inParallel(...gone.map(remove));
  yield* each(insertHash, added);
}

export function* removeLikeness(sampleId: number): UnitOfWork<void> {
  const known = yield* row(selectHash, { sampleId });
  if (known !== undefined) yield* remove(known);
}

/** Writes the grams of this one without waiting for its turn. */
export function* indexNow(sampleId: number): UnitOfWork<void> {
  const known = yield* row(selectHash, { sampleId });
  if (known?.due === 1) yield* index(known);
}

/** Brings old reports in, and writes grams that are due; of each so many at most. Tells how many it were. */
export function* indexSimilar(limit: number, serializers: Serializers): UnitOfWork<number> {
  yield* lockTask('index similar');
  const old = yield* backFill(limit, serializers);
  const due = yield* rows(selectDue, { limit });
  for (const one of due) yield* index(one);
  return Math.max(old, due.length);
}

/** The keys under which a fuzzy hash stands in the index, in its order. */
export function keysOf(hash: FuzzyHash): readonly number[] {
  const keys = new Set(fuzzyGrams(hash).map((gram) => gram % KEYS));
  return keys.size === 0 ? keyOfShort(hash) : [...keys].sort((a, b) => a - b);
}

/** One that is too short for grams is like its equals alone. An empty one says nothing of its file. */
function keyOfShort({ blockSize, first, second }: FuzzyHash): readonly number[] {
  if (first === '' && second === '') return [];
  // Runs of a character count as one, so that those which compare as equal have the same key.
  const text = `${blockSize}:${first}:${second}`.replace(/(.)\1+/g, '$1');
  let key = 0;
  for (const sign of text) key = (key * 128 + sign.charCodeAt(0)) % KEYS;
  return [key];
}

function gramsOf(text: string): readonly number[] {
  const hash = parseFuzzyHash(text);
  return hash === undefined ? [] : keysOf(hash);
}

function* index({ id, text }: Indexed): UnitOfWork<void> {
  yield* rows(insertGrams, { id, grams: toList(gramsOf(text)) });
  yield* rows(markIndexed, { id });
}

function* remove({ id, text, due }: Indexed): UnitOfWork<void> {
  if (due === 0)
    yield* each(
      deleteGram,
      gramsOf(text).map((gram) => ({ gram, id })),
    );
  yield* rows(deleteHash, { id });
}

function toRow(sampleId: number, likeness: Likeness): Omit<FuzzyHashRow, 'id'> {
  const text = parseFuzzyHash(likeness.ssdeep) === undefined ? '' : likeness.ssdeep;
  return {
    sample_id: sampleId,
    text,
    file_name: likeness.fileName,
    tags: JSON.stringify(likeness.tags),
    due: text === '' ? 0 : 1,
  };
}

const BACK_FILL = 'fuzzy_hash';

const selectReports = query<{ after: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .select(['id', 'body'])
    .where('id', '>', parameter.after)
    .where('kind', '=', DIGEST_KINDS.sha256)
    .orderBy('id')
    .limit(parameter.limit),
);

/** Takes up reports that were stored before there was this index. */
function* backFill(limit: number, serializers: Serializers): UnitOfWork<number> {
  const after = yield* positionOf(BACK_FILL);
  if (after === undefined || serializers.readAnalysis === undefined) return 0;
  const reports = yield* rows(selectReports, { after, limit });
  for (const { id, body } of reports) {
    const likeness = serializers.readAnalysis(body ?? '');
    // One that was stored again meanwhile has its row already, and that one stays.
    if (likeness !== undefined) yield* rows(insertHash, toRow(id, likeness));
  }
  yield* moveTo(BACK_FILL, reports.at(-1)?.id);
  return reports.length;
}
