import { createHash } from 'node:crypto';
import { pagesOf } from './pages.ts';
import { canonicalRow } from './rows.ts';
import type { Side } from './side.ts';
import type { MovedTable } from './tables.ts';

const PAGE = 5000;

export interface Content {
  readonly rows: number;
  /** Of all rows, in the order of the key. */
  readonly sha256: string;
}

/** What both sides hold, and whether that is the same. */
export interface Compared {
  readonly name: string;
  readonly source: Content;
  readonly target: Content;
  readonly isEqual: boolean;
}

export async function compareTable(
  table: MovedTable,
  [source, target]: readonly [Side, Side],
  looked: (rows: number) => void,
): Promise<Compared> {
  const [one, other] = await Promise.all([
    contentOf(source, table, looked),
    contentOf(target, table, looked),
  ]);
  return {
    name: table.name,
    source: one,
    target: other,
    isEqual: one.rows === other.rows && one.sha256 === other.sha256,
  };
}

async function contentOf(
  side: Side,
  table: MovedTable,
  looked: (rows: number) => void,
): Promise<Content> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pagesOf(side, table, undefined, PAGE)) {
    hash.update(`${page.map(canonicalRow).join('\n')}\n`);
    rows += page.length;
    looked(page.length);
  }
  return { rows, sha256: hash.digest('hex') };
}
