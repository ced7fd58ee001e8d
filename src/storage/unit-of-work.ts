import { type Compilable, type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * A unit of work is a generator that yields queries and is given their rows: what commits together,
 * written once for both databases. SQLite runs it without leaving the turn of the event loop, so
 * nothing comes between its statements; a database across a wire awaits each of them. It may be started
 * again from the beginning, so it keeps nothing outside itself.
 */
export type UnitOfWork<Result> = Generator<Step, Result, readonly unknown[]>;

export type Step = QueryStep | Notice;

export interface QueryStep {
  readonly query: Query<never, unknown>;
  readonly values: object;
}

/** Says that the feed of that slug has changed; whoever listens hears of it after the commit, once. */
export interface Notice {
  readonly changed: string;
}

/**
 * A query whose text is built once per dialect, by Kysely, with holes for its arguments. Building one takes
 * longer than SQLite needs to run it.
 */
export interface Query<Arguments, Row> {
  readonly build: (db: Kysely<Tables>, hole: Arguments) => Compilable<Row>;
}

export function query<Arguments extends object = Record<never, never>>() {
  return <Row>(
    build: (db: Kysely<Tables>, hole: Arguments) => Compilable<Row>,
  ): Query<Arguments, Row> => ({
    build,
  });
}

export function* rows<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  values: Arguments,
): UnitOfWork<readonly Row[]> {
  // The runner hands back the rows of this very query.
  return (yield { query: query as Query<never, unknown>, values }) as readonly Row[];
}

export function* row<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  values: Arguments,
): UnitOfWork<Row | undefined> {
  return (yield* rows(query, values))[0];
}

export function* announce(service: string): UnitOfWork<void> {
  yield { changed: service };
}

/** Marks the place of an argument in a built query. */
export class Hole {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Gives a hole for whatever argument is asked of it. */
export const HOLES = new Proxy({}, { get: (_, name) => new Hole(String(name)) });

/** The holes of those names as one object, as `values()` wants them. */
export function all<Arguments extends object, Name extends keyof Arguments>(
  hole: Arguments,
  names: readonly Name[],
): Pick<Arguments, Name> {
  return Object.fromEntries(names.map((name) => [name, hole[name]])) as Pick<Arguments, Name>;
}

/** `limit 1` in the text of the query. As an argument it keeps SQLite from using the index's order: 9 µs more. */
export const ONE = sql<number>`1`;

/** Runs units of work on one database. */
export interface Runner {
  read<Result>(work: () => UnitOfWork<Result>): Promise<Result>;
  /** In a transaction of its own or together with others that wait; settled after the flush. */
  write<Result>(work: () => UnitOfWork<Result>): Promise<Result>;
  /**
   * Like `write`, for calls of which many arrive at once: those that wait together are handed to one
   * unit of work, which answers them in order.
   */
  gather<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result>;
  /** Like `gather`, for reads: those that wait together share one look at the store. */
  gatherRead<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result>;
  /** Whether another connection has committed since this was last asked. */
  changedElsewhere(): boolean;
  /** Calls the listener after each commit with every feed that was announced in it. Returns how to stop it. */
  onChange(listener: (service: string) => void): () => void;
  close(): Promise<void>;
}

export type UnitOfMany<Input, Result> = (inputs: readonly Input[]) => UnitOfWork<readonly Result[]>;
