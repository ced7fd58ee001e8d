/**
 * One statement that does for a whole list of arguments what the given one does for a single argument: the arguments come as
 * arrays, one for each place, and stand beside each other as rows of a table that is called `given`.
 */
export function manyStatement(sql: string, types: readonly string[]): string {
  const names = types.map((_, place) => `a${place + 1}`);
  const arrays = types.map((type, place) => `$${place + 1}::${type}[]`);
  const given = (ending: string) =>
    `unnest(${arrays.join(', ')})${ending} as given(${[...names, ...(ending && ['"#"'])].join(', ')})`;
  const own = sql.replaceAll(/\$(\d+)/g, 'given.a$1');
  const [verb] = own.split(' ', 1);
  switch (verb) {
    case 'select':
      // The offset keeps the planner from making one join of both: it would read a whole table where each of the
      // arguments finds its row by an index.
      return `select given."#", found.* from ${given(' with ordinality')} cross join lateral (${own} offset 0) as found order by given."#"`;
    case 'insert':
      return insertMany(own, given(''));
    case 'update':
      return before(own, ' where ', ` from ${given('')}`);
    case 'delete':
      return before(own, ' where ', ` using ${given('')}`);
    default:
      throw new Error(`cannot be done for many: ${sql}`);
  }
}

/** The values become what is selected of the arguments; what follows them stays. */
function insertMany(sql: string, given: string): string {
  if (sql.includes(' returning ')) throw new Error(`rows of many inserts have no order: ${sql}`);
  const begin = sql.indexOf(' values (');
  const end = endOf(sql, begin + ' values '.length);
  return `${sql.slice(0, begin)} select ${sql.slice(begin + ' values ('.length, end)} from ${given}${sql.slice(end + 1)}`;
}

/** Puts something before a word that stands in no parentheses. */
function before(sql: string, word: string, inserted: string): string {
  let depth = 0;
  for (let at = 0; at < sql.length; at += 1) {
    if (sql[at] === '(') depth += 1;
    if (sql[at] === ')') depth -= 1;
    if (depth === 0 && sql.startsWith(word, at)) return sql.slice(0, at) + inserted + sql.slice(at);
  }
  throw new Error(`there is no${word}in: ${sql}`);
}

/** Where the parenthesis that opens there is closed. */
function endOf(sql: string, open: number): number {
  let depth = 0;
  for (let at = open; at < sql.length; at += 1) {
    if (sql[at] === '(') depth += 1;
    if (sql[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error(`a parenthesis is not closed: ${sql}`);
}
