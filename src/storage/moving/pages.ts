import type { MoveEndpoint } from './move-endpoint.ts';
import type { Key, Row } from './rows.ts';
import type { MovedTable } from './tables.ts';

/** All rows after that key, or from the start, in the order of the key, in pages of `limit`. */
export async function* pagesOf(
  endpoint: MoveEndpoint,
  table: MovedTable,
  after: Key | undefined,
  limit: number,
): AsyncGenerator<readonly Row[]> {
  const { name, key, columns } = table;
  const selected = `select ${columns.join(', ')} from ${name}`;
  const parameters = key.map((_, index) => `$${index + 1}`);
  const order = `order by ${key.join(', ')} limit ${limit}`;
  let last = after;
  for (;;) {
    const page: readonly Row[] =
      last === undefined
        ? await endpoint.query(`${selected} ${order}`)
        : await endpoint.query(
            `${selected} where (${key.join(', ')}) > (${parameters.join(', ')}) ${order}`,
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

export async function countRows(endpoint: MoveEndpoint, { name }: MovedTable): Promise<number> {
  const [found] = await endpoint.query(`select count(*) from ${name}`);
  return Number(found?.[0]);
}
