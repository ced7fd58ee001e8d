import type { Key, Row } from './rows.ts';
import type { Side } from './side.ts';
import type { MovedTable } from './tables.ts';

/** All rows after that key, or from the beginning, in the order of the key and so many at a time. */
export async function* pagesOf(
  side: Side,
  table: MovedTable,
  after: Key | undefined,
  limit: number,
): AsyncGenerator<readonly Row[]> {
  const { name, key, columns } = table;
  const selected = `select ${columns.join(', ')} from ${name}`;
  const places = key.map((_, place) => `$${place + 1}`);
  const order = `order by ${key.join(', ')} limit ${limit}`;
  let last = after;
  for (;;) {
    const page: readonly Row[] =
      last === undefined
        ? await side.query(`${selected} ${order}`)
        : await side.query(
            `${selected} where (${key.join(', ')}) > (${places.join(', ')}) ${order}`,
            last,
          );
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    last = keyOf(page.at(-1) ?? [], table);
  }
}

/** The columns of the key come first. */
export function keyOf(row: Row, { key }: MovedTable): Key {
  return row.slice(0, key.length);
}

export async function countRows(side: Side, { name }: MovedTable): Promise<number> {
  const [found] = await side.query(`select count(*) from ${name}`);
  return Number(found?.[0]);
}
