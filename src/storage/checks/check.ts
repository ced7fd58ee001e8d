import { type RawBuilder, sql } from 'kysely';
import type { CheckedPart, StoreCheck } from '../../ports/examination.ts';
import { type Dialect, type Query, query } from '../units/query.ts';
import type { Runner } from '../units/runner.ts';
import { rows, type UnitOfWork } from '../units/unit-of-work.ts';

/** Where a check continues; `undefined` before its first part. */
export type Position = number | string | undefined;

export interface Part extends CheckedPart {
  /** `undefined` after the last. */
  readonly next: Position;
}

/**
 * A consistency check. Each part reads one snapshot, so that concurrent writes cause no findings.
 */
export interface Check {
  readonly name: string;
  part(after: Position): UnitOfWork<Part>;
}

/** More findings of one check have the same cause. */
export const MAX_FINDINGS = 10;

export function createStoreCheck({ name, part }: Check, runner: Runner): StoreCheck {
  function* readParts(positions: readonly Position[]): UnitOfWork<readonly Part[]> {
    const parts: Part[] = [];
    for (const position of positions) parts.push(yield* part(position));
    return parts;
  }
  return {
    name,
    async *run() {
      let after: Position;
      do {
        const result: Part = await runner.batchRead(readParts, after);
        yield result;
        after = result.next;
      } while (after !== undefined);
    },
  };
}

/** A query as SQL text, for both databases. */
export function statement<Row, Arguments extends object = Record<never, never>>(
  text: (parameter: Arguments, dialect: Dialect) => RawBuilder<Row>,
): Query<Arguments, Row> {
  return query<Arguments>()((db, parameter, dialect) => {
    const built = text(parameter, dialect);
    return {
      compile: () => {
        const compiled = built.compile(db);
        // The runners read the kind of the statement from its first word.
        return { ...compiled, sql: compiled.sql.trim() };
      },
    };
  });
}

type Cells = Readonly<Record<string, unknown>>;

/** Rows that must not exist: the finding for each, and the query that selects some of them. */
export interface ForbiddenRows {
  readonly finding: string;
  readonly rows: Query<Record<never, never>, Cells>;
}

/** `select` has no limit; its columns identify the row. */
export function forbiddenRows(
  finding: string,
  select: (dialect: Dialect) => RawBuilder<Cells>,
): ForbiddenRows {
  return {
    finding,
    rows: statement<Cells>(
      (_, dialect) => sql<Cells>`${select(dialect)} limit ${sql.lit(MAX_FINDINGS + 1)}`,
    ),
  };
}

/** A check of queries that must return no rows. */
export function forbiddenRowsCheck(name: string, list: readonly ForbiddenRows[]): Check {
  return {
    name,
    *part(after) {
      const index = Number(after ?? 0);
      const one = list[index];
      const found = one === undefined ? [] : yield* rows(one.rows, {});
      return {
        examined: 1,
        wrong: found.map((cells) => `${one?.finding ?? ''}: ${describeCells(cells)}`),
        next: index + 1 < list.length ? index + 1 : undefined,
      };
    },
  };
}

/** A check that reads all rows of a query page by page, in the order of a key. */
export function pagedCheck<Row>(
  name: string,
  {
    page,
    keyOf,
    findingsIn,
  }: {
    readonly page: (after: Position) => UnitOfWork<readonly Row[]>;
    readonly keyOf: (row: Row) => Position;
    readonly findingsIn: (rows: readonly Row[]) => UnitOfWork<readonly string[]>;
  },
): Check {
  return {
    name,
    *part(after) {
      const found = yield* page(after);
      const last = found.at(-1);
      return {
        examined: found.length,
        wrong: yield* findingsIn(found),
        next: last === undefined ? undefined : keyOf(last),
      };
    },
  };
}

function describeCells(cells: Cells): string {
  return Object.values(cells).map(describeCell).join(' ');
}

function describeCell(value: unknown): string {
  return value instanceof Uint8Array ? hexOf(value) : String(value);
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
