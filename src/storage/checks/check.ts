import { type RawBuilder, sql } from 'kysely';
import type { CheckedPart, StoreCheck } from '../../ports/examination.ts';
import {
  type Dialect,
  type Query,
  query,
  type Runner,
  rows,
  type UnitOfWork,
} from '../unit-of-work.ts';

/** Where a check goes on; `undefined` before its first part. */
export type Position = number | string | undefined;

export interface Part extends CheckedPart {
  /** `undefined` after the last. */
  readonly next: Position;
}

/** One promise. Each part is one look at the store, so that nothing seems wrong only because it is being changed. */
export interface Check {
  readonly name: string;
  part(after: Position): UnitOfWork<Part>;
}

/** Whoever has more than this wrong has one thing wrong. */
export const MOST_SHOWN = 10;

/** Over one database. */
export function overRunner({ name, part }: Check, runner: Runner): StoreCheck {
  function* look(positions: readonly Position[]): UnitOfWork<readonly Part[]> {
    const parts: Part[] = [];
    for (const position of positions) parts.push(yield* part(position));
    return parts;
  }
  return {
    name,
    async *run() {
      let after: Position;
      do {
        const looked: Part = await runner.batchRead(look, after);
        yield looked;
        after = looked.next;
      } while (after !== undefined);
    },
  };
}

/** A query as text, where both databases understand the same, or nearly. */
export function statement<Row, Arguments extends object = Record<never, never>>(
  text: (parameter: Arguments, dialect: Dialect) => RawBuilder<Row>,
): Query<Arguments, Row> {
  return query<Arguments>()((db, parameter, dialect) => {
    const built = text(parameter, dialect);
    return {
      compile: () => {
        const compiled = built.compile(db);
        // By its first word it is told what kind of statement it is.
        return { ...compiled, sql: compiled.sql.trim() };
      },
    };
  });
}

type Cells = Readonly<Record<string, unknown>>;

/** Rows that there must not be any of: what is wrong with each, and the query that finds some of them. */
export interface Never {
  readonly what: string;
  readonly found: Query<Record<never, never>, Cells>;
}

/** `select …` without its limit; what it selects tells which row it is. */
export function never(what: string, select: (dialect: Dialect) => RawBuilder<Cells>): Never {
  return {
    what,
    found: statement<Cells>(
      (_, dialect) => sql<Cells>`${select(dialect)} limit ${sql.lit(MOST_SHOWN + 1)}`,
    ),
  };
}

/** A check that is a list of queries, each of which finds nothing. */
export function noneOf(name: string, list: readonly Never[]): Check {
  return {
    name,
    *part(after) {
      const at = Number(after ?? 0);
      const one = list[at];
      const found = one === undefined ? [] : yield* rows(one.found, {});
      return {
        looked: 1,
        wrong: found.map((cells) => `${one?.what ?? ''}: ${describeCells(cells)}`),
        next: at + 1 < list.length ? at + 1 : undefined,
      };
    },
  };
}

/** A check that reads all rows of something in the order of a key, so many at a time. */
export function walk<Row>(
  name: string,
  {
    page,
    keyOf,
    wrongIn,
  }: {
    readonly page: (after: Position) => UnitOfWork<readonly Row[]>;
    readonly keyOf: (row: Row) => Position;
    readonly wrongIn: (rows: readonly Row[]) => UnitOfWork<readonly string[]>;
  },
): Check {
  return {
    name,
    *part(after) {
      const found = yield* page(after);
      const last = found.at(-1);
      return {
        looked: found.length,
        wrong: yield* wrongIn(found),
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
