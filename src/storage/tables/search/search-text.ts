import { type RawBuilder, sql } from 'kysely';
import { MIN_PREFIX_LENGTH } from '../../../domain/search-query.ts';
import { type Dialect, query } from '../../units/query.ts';
import { each, eachDeferred, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The full-text indexes: on SQLite FTS5 (https://www.sqlite.org/fts5.html), on PostgreSQL
 * `tsvector` with a GIN index (https://www.postgresql.org/docs/current/textsearch.html).
 *
 * They hold words and row ids, but no texts (`content=''`) and no positions (`detail=none`).
 * `wordsOf` splits and folds the words, not the tokenizer: `ascii` only splits at spaces, and
 * PostgreSQL stores the words as they are, so queries and texts are always split alike. Words in
 * queries are always quoted, so user input is never query syntax.
 */
export type TextIndex = 'term_text' | 'sample_text';

/**
 * The prefix lengths that FTS5 indexes. For any other length it would first collect all matches: 60
 * ms for 300,000 texts. So a prefix is cut to one of these, and the caller compares the rest.
 */
const PREFIX_LENGTHS = [5, MIN_PREFIX_LENGTH];

/** The same query in the syntax of both databases. */
interface Match {
  fts5: string;
  tsquery: string;
  limit: number;
}

const insertInto = (index: TextIndex) =>
  query<{ id: number; words: string }>()((db, parameter, dialect) =>
    db.insertInto(index).values({ rowid: parameter.id, words: indexed(parameter.words, dialect) }),
  );

function indexed(words: string, dialect: Dialect) {
  if (dialect === 'sqlite') return words;
  return sql<string>`array_to_tsvector(array_remove(string_to_array(${words}, ' '), ''))`;
}

/** By the text of the term, so that its id need not be read first. */
const insertTermText = query<{ serviceId: number; text: string; words: string }>()(
  (db, parameter, dialect) =>
    db.insertInto('term_text').values({
      rowid: sql<number>`(
        select id from search_term
        where service_id = ${parameter.serviceId} and text = ${parameter.text}
      )`,
      words: indexed(parameter.words, dialect),
    }),
);

const deleteFrom = (index: TextIndex) =>
  query<{ id: number }>()((db, parameter) =>
    db.deleteFrom(index).where('rowid', '=', parameter.id),
  );

type Found = RawBuilder<{ id: number }>;

/** By the GIN index: `offset 0` keeps PostgreSQL from scanning all texts, newest first, instead. */
const byWords = (index: TextIndex, parameter: Match): Found =>
  sql`(select rowid as id from ${sql.ref(index)} where words @@ ${parameter.tsquery}::tsquery offset 0)`;

/** The number of newest texts scanned before the GIN index is read: some milliseconds. */
const NEWEST_SCANNED = sql.lit(10_000);

/**
 * A frequent word is among the newest texts; for a rare one, the index finds all with little
 * sorting.
 */
const byNewest = (index: TextIndex, parameter: Match): Found => sql`(
  with newest as materialized (
    select rowid as id from (
      select rowid, words from ${sql.ref(index)} order by rowid desc limit ${NEWEST_SCANNED}
    ) as latest
    where words @@ ${parameter.tsquery}::tsquery order by rowid desc limit ${parameter.limit}
  )
  select id from newest
  union
  select id from ${byWords(index, parameter)} as older where (select count(*) from newest) < ${parameter.limit}
)`;

const selectNewest = (index: TextIndex, onPostgres: typeof byWords) =>
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
    rare: selectNewest(index, byWords),
  };
}

/** Inserts texts that the index does not have yet. */
export function* putTexts(
  index: TextIndex,
  texts: readonly { readonly id: number; readonly words: readonly string[] }[],
): UnitOfWork<void> {
  yield* each(
    QUERIES[index].insert,
    texts.map(({ id, words }) => ({ id, words: words.join(' ') })),
  );
}

/** Inserts the words of terms that were inserted before. */
export function* putTermTexts(
  terms: readonly {
    readonly serviceId: number;
    readonly text: string;
    readonly words: readonly string[];
  }[],
): UnitOfWork<void> {
  yield* eachDeferred(
    insertTermText,
    terms.map(({ serviceId, text, words }) => ({ serviceId, text, words: words.join(' ') })),
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

/** The newest texts with exactly this word, which must be rare. It may have any characters. */
export function* newestWithWord(
  index: TextIndex,
  word: string,
  limit: number,
): UnitOfWork<readonly number[]> {
  const found = yield* rows(QUERIES[index].rare, { ...matchOf([whole(word)]), limit });
  return found.map(({ id }) => id);
}

/** The newest texts with a word that starts so, which must be rare. */
export function* newestWithPrefix(
  index: TextIndex,
  text: string,
  limit: number,
): UnitOfWork<readonly number[]> {
  const match = matchOf([{ text, isPrefix: true }]);
  return (yield* rows(QUERIES[index].rare, { ...match, limit })).map(({ id }) => id);
}

/**
 * The newest texts with all words, then the newest that may have words with these prefixes, which
 * the caller has to compare. At most `limit` of each.
 */
export function* newestWithWords(
  index: TextIndex,
  words: readonly string[],
  limit: number,
): UnitOfWork<readonly number[]> {
  if (words.length === 0) return [];
  const exact = yield* newest(index, { ...matchOf(words.map(whole)), limit });
  const prefixed = yield* newest(index, { ...matchOf(words.map(prefixOf)), limit });
  return [...new Set([...exact, ...prefixed])];
}

function* newest(index: TextIndex, match: Match): UnitOfWork<readonly number[]> {
  return (yield* rows(QUERIES[index].newest, match)).map(({ id }) => id);
}

interface QueryWord {
  readonly text: string;
  readonly isPrefix: boolean;
}

function whole(text: string): QueryWord {
  return { text, isPrefix: false };
}

function prefixOf(word: string): QueryWord {
  const characters = [...word];
  const length = PREFIX_LENGTHS.find((one) => characters.length >= one);
  if (length === undefined) return whole(word);
  return { text: characters.slice(0, length).join(''), isPrefix: true };
}

function matchOf(terms: readonly QueryWord[]): Omit<Match, 'limit'> {
  const fts5 = ({ text, isPrefix }: QueryWord) =>
    `"${text.replaceAll('"', '""')}"${isPrefix ? '*' : ''}`;
  const tsquery = ({ text, isPrefix }: QueryWord) =>
    `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'${isPrefix ? ':*' : ''}`;
  return { fts5: terms.map(fts5).join(' '), tsquery: terms.map(tsquery).join(' & ') };
}
