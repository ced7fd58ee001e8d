import { channel } from 'node:diagnostics_channel';
import { type Compilable, type Kysely, sql } from 'kysely';
import type { JobKind } from '../ports/queue.ts';
import type { Tables } from './tables.ts';

/**
 * A unit of work is a generator that yields queries and is given their rows: what commits together,
 * written once for both databases. SQLite runs it in the turn of the event loop, and over several turns where it
 * takes long; a database across a wire awaits each statement. Nothing comes between its statements either way: it
 * runs in one transaction. It may be started again from the beginning, so it keeps nothing outside itself.
 */
export type UnitOfWork<Result> = Generator<Step, Result, readonly unknown[]>;

export type Step = SingleStep | TogetherStep;

export type SingleStep = QueryStep | ManyStep | LockStep | JobStep | Notice | CompensationStep;

/** Steps of which none needs what another gives: across a wire all of them are under way at once. */
export interface TogetherStep {
  readonly together: readonly SingleStep[];
}

export interface QueryStep {
  readonly query: Query<never, unknown>;
  readonly values: object;
}

/** One query for many: on SQLite one after the other, across a wire in one statement. */
export interface ManyStep {
  readonly query: Query<never, unknown>;
  readonly each: readonly object[];
}

/**
 * Keeps others away from something that has no row yet, until the commit: whoever asks for the same waits, unless both are
 * content to share it. Where only one can write at a time, nobody needs it.
 */
export interface LockStep {
  readonly lock: 'account' | 'file' | 'chore';
  readonly keys: readonly string[];
  readonly isShared: boolean;
}

/** Adds a job to the queue, or takes it out, together with everything else in the unit. */
export type JobStep = AddJobStep | RemoveJobStep;

export interface AddJobStep extends Omit<RemoveJobStep, 'job'> {
  readonly job: 'add';
  readonly accountId: string;
  /** Jobs with a lower turn are claimed first. */
  readonly turn: number;
}

export interface RemoveJobStep {
  readonly job: 'remove';
  readonly kind: JobKind;
  readonly key: string;
  readonly at: Date;
}

/**
 * Says that the feed of that slug has changed, or `access`: whatever decides who may do what. Whoever listens hears of it
 * after the commit, once.
 */
export type Notice = { readonly changed: string } | { readonly access: true };

/**
 * How to undo what the unit has charged. It is run where the caller was told that the call failed, because nobody could
 * say what became of the commit, and the commit is found to stand later. Across a wire alone: on SQLite a commit that
 * fails was not done.
 */
export interface CompensationStep {
  readonly compensation: () => UnitOfWork<void>;
}

export type Dialect = 'sqlite' | 'postgres';

type Build<Arguments, Row> = (
  db: Kysely<Tables>,
  parameter: Arguments,
  dialect: Dialect,
) => Compilable<Row>;

/**
 * A query whose text is built once per dialect, by Kysely, with parameters for its arguments. Building one takes
 * longer than SQLite needs to run it.
 */
export interface Query<Arguments, Row> {
  readonly build: Build<Arguments, Row>;
}

/** Publishes every query where it is defined: the test of query plans subscribes, so that it cannot miss one. */
const definitions = channel('rapsheet:query');

export function query<Arguments extends object = Record<never, never>>() {
  return <Row>(build: Build<Arguments, Row>): Query<Arguments, Row> => {
    const defined = { build };
    definitions.publish(defined);
    return defined;
  };
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

/**
 * The rows of one query for each of many arguments. Those of an insert, an update or a delete must not depend on each
 * other, nor concern the same row: across a wire they are one statement.
 */
export function* each<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  list: readonly Arguments[],
): UnitOfWork<readonly (readonly Row[])[]> {
  if (list.length === 0) return [];
  // The runner hands back a list of rows for each of them.
  const found = yield { query: query as Query<never, unknown>, each: list };
  return found as readonly (readonly Row[])[];
}

/**
 * Units that do not depend on each other, step by step side by side. What one of them locks or writes, the others must not
 * wait for or read.
 */
export function* sideBySide<Results extends readonly unknown[]>(
  ...units: { readonly [Place in keyof Results]: UnitOfWork<Results[Place]> }
): UnitOfWork<Results> {
  const turns = units.map((unit) => unit.next([]));
  for (;;) {
    const waiting = turns.flatMap((turn, place) => (turn.done ? [] : { place, step: turn.value }));
    // Each has come to its end, and gives its result.
    if (waiting.length === 0) return turns.map(({ value }) => value) as unknown as Results;
    const together = waiting.flatMap(({ step }) => ('together' in step ? step.together : [step]));
    const answers = [...((yield { together }) as readonly (readonly unknown[])[])];
    for (const { place, step } of waiting) {
      const own = 'together' in step ? answers.splice(0, step.together.length) : answers.shift();
      turns[place] = (units[place] as UnitOfWork<unknown>).next(
        own ?? [],
      ) as (typeof turns)[number];
    }
  }
}

/**
 * Whoever changes what an account may do locks it alone; whoever relies on it shares it. Accounts come before files and
 * feeds wherever several are locked.
 */
export function* lockAccounts(ids: readonly string[], { isShared = false } = {}): UnitOfWork<void> {
  if (ids.length > 0) yield { lock: 'account', keys: ids, isShared };
}

/** Files come before feeds wherever both are locked: two that each wait for what the other has would wait for ever. */
export function* lockFiles(hashes: readonly string[], { isShared = false } = {}): UnitOfWork<void> {
  if (hashes.length > 0) yield { lock: 'file', keys: hashes, isShared };
}

/** For what goes through the store in the background, on every node: one after the other. */
export function* lockChore(name: string): UnitOfWork<void> {
  yield { lock: 'chore', keys: [name], isShared: false };
}

export function* announce(service: string): UnitOfWork<void> {
  yield { changed: service };
}

/** Marks the place of an argument in a built query. */
export class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Gives a parameter for whatever argument is asked of it. */
export const PARAMETERS = new Proxy({}, { get: (_, name) => new Parameter(String(name)) });

/** The parameters of those names as one object, as `values()` wants them. */
export function all<Arguments extends object, Name extends keyof Arguments>(
  parameter: Arguments,
  names: readonly Name[],
): Pick<Arguments, Name> {
  return Object.fromEntries(names.map((name) => [name, parameter[name]])) as Pick<Arguments, Name>;
}

/** `limit 1` in the text of the query. As an argument it keeps SQLite from using the index's order: 9 µs more. */
export const ONE = sql<number>`1`;

/**
 * Across a wire the first step of a unit is sent before it is known that there is a transaction. A first step that changes
 * something has this among its conditions, and then does nothing without one; of any other kind, it has to wait.
 */
export const IN_TRANSACTION = 'pg_current_xact_id_if_assigned() is not null';

/** Runs units of work on one database. */
export interface Runner {
  read<Result>(work: () => UnitOfWork<Result>): Promise<Result>;
  /** In a transaction of its own or together with others that wait; settled after the flush. */
  write<Result>(work: () => UnitOfWork<Result>): Promise<Result>;
  /**
   * Like `write`, for calls of which many arrive at once: those that wait together are handed to one
   * unit of work, which answers them in order. `key` names the one row that each needs for itself: who needs another does
   * not wait where that one is locked for long.
   */
  gather<Input, Result>(
    work: UnitOfMany<Input, Result>,
    input: Input,
    key: string,
  ): Promise<Result>;
  /** Like `gather`, for reads: those that wait together share one look at the store. */
  gatherRead<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result>;
  /** Whether another connection has committed since this was last asked. */
  changedElsewhere(): boolean;
  /** Whether the last write has failed because of the disk, where the database is a file of ours. */
  hasWriteFault?(): boolean;
  /** Calls the listener after each commit with every feed that was announced in it. Returns how to stop it. */
  onChange(listener: (service: string) => void): () => void;
  close(): Promise<void>;
}

export type UnitOfMany<Input, Result> = (inputs: readonly Input[]) => UnitOfWork<readonly Result[]>;
