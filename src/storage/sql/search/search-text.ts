import { type RawBuilder, sql } from 'kysely';
import { MIN_BEGINNING } from '../../../domain/search-query.ts';
import { each, query, rows, type UnitOfWork } from '../../unit-of-work.ts';

/**
 * The indexes of words, the only place that knows how they are made: on SQLite by FTS5 (https://www.sqlite.org/fts5.html),
 * on PostgreSQL as `tsvector` with an index of the kind GIN (https://www.postgresql.org/docs/current/textsearch.html).
 *
 * They hold words and numbers, no texts: `content=''`, and no positions: `detail=none`. The words are made here
 * (`wordsOf`), not by the tokenizer: `ascii` only cuts at spaces what has been folded already, so what is looked for
 * is never cut otherwise than what was written down; PostgreSQL takes them as they are. A word is always quoted: nothing
 * that anybody types is syntax.
 */
export type TextIndex = 'term_text' | 'sample_text';

/**
 * Lengths of beginnings that have lists of their own. Of any other length FTS5 would first gather everything that
 * fits: 60 ms where 300,000 texts do. So a beginning is cut to one of these, and the rest is compared afterwards.
 */
const BEGINNINGS = [5, MIN_BEGINNING];

/** What is looked for, in the words of both. */
interface Match {
  fts5: string;
  tsquery: string;
  limit: number;
}

const insertInto = (index: TextIndex) =>
  query<{ id: number; words: string }>()((db, parameter, dialect) =>
    db.insertInto(index).values({
      rowid: parameter.id,
      words:
        dialect === 'sqlite'
          ? parameter.words
          : sql<string>`array_to_tsvector(array_remove(string_to_array(${parameter.words}, ' '), ''))`,
    }),
  );

const deleteFrom = (index: TextIndex) =>
  query<{ id: number }>()((db, parameter) =>
    db.deleteFrom(index).where('rowid', '=', parameter.id),
  );

type Found = RawBuilder<{ id: number }>;

/** By the index of words alone: the offset keeps PostgreSQL from looking at all texts, newest first, until it has enough. */
const byWords = (index: TextIndex, parameter: Match): Found =>
  sql`(select rowid as id from ${sql.ref(index)} where words @@ ${parameter.tsquery}::tsquery offset 0)`;

/** So many of the newest texts are looked at before the index of words is asked: some milliseconds. */
const LOOKED_AT_FIRST = sql.lit(10_000);

/** What is in most texts is among the newest; of what is in few, the index finds all without having to sort many. */
const byNewest = (index: TextIndex, parameter: Match): Found => sql`(
  with newest as materialized (
    select rowid as id from (
      select rowid, words from ${sql.ref(index)} order by rowid desc limit ${LOOKED_AT_FIRST}
    ) as latest
    where words @@ ${parameter.tsquery}::tsquery order by rowid desc limit ${parameter.limit}
  )
  select id from newest
  union
  select id from ${byWords(index, parameter)} as older where (select count(*) from newest) < ${parameter.limit}
)`;

const selectNewest = (
  index: TextIndex,
  onPostgres: (index: TextIndex, parameter: Match) => Found,
) =>
  query<Match>()((db, parameter, dialect) =>
    dialect === 'sqlite'
      ? db
          .selectFrom(index)
          .select('rowid as id')
          .where(sql<boolean>`${sql.ref(index)} match ${parameter.fts5}`)
          .orderBy('rowid', 'desc')
          .limit(parameter.limit)
      : db
          .selectFrom(onPostgres(index, parameter).as('found'))
          .select('found.id')
          .orderBy('found.id', 'desc')
          .limit(parameter.limit),
  );

const QUERIES = {
  term_text: queriesOf('term_text'),
  sample_text: queriesOf('sample_text'),
};

function queriesOf(index: TextIndex) {
  return {
    insert: insertInto(index),
    delete: deleteFrom(index),
    newest: selectNewest(index, byNewest),
    few: selectNewest(index, byWords),
  };
}

/** Of many at once, none of which is there yet. */
export function* putTexts(
  index: TextIndex,
  texts: readonly { readonly id: number; readonly words: readonly string[] }[],
): UnitOfWork<void> {
  yield* each(
    QUERIES[index].insert,
    texts.map(({ id, words }) => ({ id, words: words.join(' ') })),
  );
}

export function* removeText(index: TextIndex, id: number): UnitOfWork<void> {
  yield* removeTexts(index, [id]);
}

export function* removeTexts(index: TextIndex, ids: readonly number[]): UnitOfWork<void> {
  yield* each(
    QUERIES[index].delete,
    ids.map((id) => ({ id })),
  );
}

/** The newest texts that have this very word, which is in few, and need not be one that names are made of. */
export function* newestWithWord(
  index: TextIndex,
  word: string,
  limit: number,
): UnitOfWork<readonly number[]> {
  const found = yield* rows(QUERIES[index].few, { ...matchOf([whole(word)]), limit });
  return found.map(({ id }) => id);
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
  const exact = yield* newest(index, { ...matchOf(words.map(whole)), limit });
  const begun = yield* newest(index, { ...matchOf(words.map(beginning)), limit });
  return [...new Set([...exact, ...begun])];
}

function* newest(index: TextIndex, match: Match): UnitOfWork<readonly number[]> {
  return (yield* rows(QUERIES[index].newest, match)).map(({ id }) => id);
}

interface Part {
  readonly text: string;
  /** Whether it is only the beginning of a word. */
  readonly isBegun: boolean;
}

function whole(text: string): Part {
  return { text, isBegun: false };
}

function beginning(word: string): Part {
  const signs = [...word];
  const length = BEGINNINGS.find((least) => signs.length >= least);
  if (length === undefined) return whole(word);
  return { text: signs.slice(0, length).join(''), isBegun: true };
}

function matchOf(parts: readonly Part[]): Omit<Match, 'limit'> {
  const fts5 = ({ text, isBegun }: Part) => `"${text.replaceAll('"', '""')}"${isBegun ? '*' : ''}`;
  const tsquery = ({ text, isBegun }: Part) =>
    `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'${isBegun ? ':*' : ''}`;
  return { fts5: parts.map(fts5).join(' '), tsquery: parts.map(tsquery).join(' & ') };
}
