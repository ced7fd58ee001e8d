import { createHash } from 'node:crypto';
import type { MoveEndpoint } from './move-endpoint.ts';
import { pagesOf } from './pages.ts';
import { canonicalRow } from './rows.ts';
import type { MovedTable } from './tables.ts';

const PAGE = 5000;

export interface TableContent {
  readonly rows: number;
  /** The digest of all rows, in the order of the key. */
  readonly sha256: string;
}

export interface TableComparison {
  readonly name: string;
  readonly source: TableContent;
  readonly target: TableContent;
  readonly isEqual: boolean;
}

export async function compareTable(
  table: MovedTable,
  [source, target]: readonly [MoveEndpoint, MoveEndpoint],
  onRows: (rows: number) => void,
): Promise<TableComparison> {
  const [sourceContent, targetContent] = await Promise.all([
    contentOf(source, table, onRows),
    contentOf(target, table, onRows),
  ]);
  return {
    name: table.name,
    source: sourceContent,
    target: targetContent,
    isEqual:
      sourceContent.rows === targetContent.rows && sourceContent.sha256 === targetContent.sha256,
  };
}

async function contentOf(
  endpoint: MoveEndpoint,
  table: MovedTable,
  onRows: (rows: number) => void,
): Promise<TableContent> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pagesOf(endpoint, table, undefined, PAGE)) {
    hash.update(`${page.map(canonicalRow).join('\n')}\n`);
    rows += page.length;
    onRows(page.length);
  }
  return { rows, sha256: hash.digest('hex') };
}
