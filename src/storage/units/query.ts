import { channel } from 'node:diagnostics_channel';
import { type Compilable, type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

export type Dialect = 'sqlite' | 'postgres';

type Build<Arguments, Row> = (
  db: Kysely<Tables>,
  parameter: Arguments,
  dialect: Dialect,
) => Compilable<Row>;

/**
 * A query with parameters. Each runner compiles it once: compiling takes longer than SQLite needs
 * to execute it.
 */
export interface Query<Arguments, Row> {
  readonly build: Build<Arguments, Row>;
  /** The columns of each row in an array. Not for `each`. */
  readonly returnsArrays?: boolean;
}

/**
 * Publishes each query at its definition. The test of query plans subscribes, so it misses none.
 */
const definitions = channel('rapsheet:query');

export function query<Arguments extends object = Record<never, never>>(): <Row>(
  build: Build<Arguments, Row>,
) => Query<Arguments, Row>;

/**
 * For statements that read many rows: SQLite fills arrays a third faster than objects. The tuple
 * has the selected columns in their order.
 */
export function query<Arguments extends object, Tuple extends readonly unknown[]>(
  form: 'arrays',
): (build: Build<Arguments, unknown>) => Query<Arguments, Tuple>;

export function query(form?: 'arrays'): unknown {
  return (build: Build<never, unknown>): Query<never, unknown> => {
    const defined = form === undefined ? { build } : { build, returnsArrays: true };
    definitions.publish(defined);
    return defined;
  };
}

/** The named parameters as one object, for `values()` and `set()`. */
export function all<Arguments extends object, Name extends keyof Arguments>(
  parameter: Arguments,
  names: readonly Name[],
): Pick<Arguments, Name> {
  return Object.fromEntries(names.map((name) => [name, parameter[name]])) as Pick<Arguments, Name>;
}

/**
 * For `limit 1`. Bound as a parameter, it keeps SQLite from using the order of the index (9 µs).
 */
export const ONE = sql<number>`1`;
