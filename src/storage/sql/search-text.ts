import { sql } from 'kysely';
import { MIN_BEGINNING } from '../../domain/search-query.ts';
import { query, rows, type UnitOfWork } from '../unit-of-work.ts';

/**
 * The indexes of words, on SQLite by FTS5 (https://www.sqlite.org/fts5.html): the only place that knows of it.
 *
 * They hold words and numbers, no texts: `content=''`, and no positions: `detail=none`. The words are made here
 * (`wordsOf`), not by the tokenizer: `ascii` only cuts at spaces what has been folded already, so what is looked for
 * is never cut otherwise than what was written down. A word is always quoted: nothing that anybody types is syntax.
 */
export type TextIndex = 'term_text' | 'sample_text';

/**
 * Lengths of beginnings that have lists of their own. Of any other length FTS5 would first gather everything that
 * fits: 60 ms where 300,000 texts do. So a beginning is cut to one of these, and the rest is compared afterwards.
 */
const BEGINNINGS = [5, MIN_BEGINNING];

interface Match {
  match: string;
  limit: number;
}

const insertInto = (index: TextIndex) =>
  query<{ id: number; words: string }>()((db, hole) =>
    db.insertInto(index).values({ rowid: hole.id, words: hole.words }),
  );

const deleteFrom = (index: TextIndex) =>
  query<{ id: number }>()((db, hole) => db.deleteFrom(index).where('rowid', '=', hole.id));

const selectNewest = (index: TextIndex) =>
  query<Match>()((db, hole) =>
    db
      .selectFrom(index)
      .select('rowid as id')
      .where(sql<boolean>`${sql.ref(index)} match ${hole.match}`)
      .orderBy('rowid', 'desc')
      .limit(hole.limit),
  );

const QUERIES = {
  term_text: queriesOf('term_text'),
  sample_text: queriesOf('sample_text'),
};

function queriesOf(index: TextIndex) {
  return {
    insert: insertInto(index),
    delete: deleteFrom(index),
    newest: selectNewest(index),
  };
}

export function* putText(index: TextIndex, id: number, words: readonly string[]): UnitOfWork<void> {
  yield* rows(QUERIES[index].insert, { id, words: words.join(' ') });
}

export function* removeText(index: TextIndex, id: number): UnitOfWork<void> {
  yield* rows(QUERIES[index].delete, { id });
}

/** The newest texts that have this very word, which need not be one that names are made of. */
export function* newestWithWord(
  index: TextIndex,
  word: string,
  limit: number,
): UnitOfWork<readonly number[]> {
  return yield* newest(index, { match: quote(word), limit });
}

/**
 * The newest texts that have all the words, then the newest that may have words which begin so: of those the caller
 * compares the rest. At most `limit` of each.
 */
export function* newestWithWords(
  index: TextIndex,
  words: readonly string[],
  limit: number,
): UnitOfWork<readonly number[]> {
  if (words.length === 0) return [];
  const whole = yield* newest(index, { match: words.map(quote).join(' '), limit });
  const begun = yield* newest(index, { match: words.map(quoteBeginning).join(' '), limit });
  return [...new Set([...whole, ...begun])];
}

function* newest(index: TextIndex, match: Match): UnitOfWork<readonly number[]> {
  return (yield* rows(QUERIES[index].newest, match)).map(({ id }) => id);
}

function quote(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

function quoteBeginning(word: string): string {
  const signs = [...word];
  const length = BEGINNINGS.find((least) => signs.length >= least);
  return length === undefined ? quote(word) : `${quote(signs.slice(0, length).join(''))}*`;
}
