import { channel } from 'node:diagnostics_channel';
import { type Compilable, type Kysely, sql } from 'kysely';
import type { JobKind } from '../../ports/queue.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Statements that commit together, written once for both databases: a generator that yields steps
 * and receives the rows of each.
 *
 *     const deleteToken = query<{ id: string }>()((db, parameter) =>
 *       db.deleteFrom('token').where('id', '=', parameter.id).returning('account_id'));
 *     function* removeToken(id: string): UnitOfWork<string | undefined> {
 *       return (yield* row(deleteToken, { id }))?.account_id;
 *     }
 *     const accountId = await runner.write(() => removeToken('t1'));
 *
 * The runner executes all steps in one transaction and may start the generator again from the
 * beginning, so a unit keeps no state outside itself.
 */
export type UnitOfWork<Result> = Generator<Step, Result, readonly unknown[]>;

export type Step = SingleStep | ParallelStep;

export type SingleStep =
  | QueryStep
  | EachStep
  | LockStep
  | JobStep
  | FeedChangedStep
  | DeliveriesQueuedStep
  | AccessChangedStep
  | CompensationStep;

/**
 * Steps that do not need the result of each other. A runner executes them in this order, and may
 * send all of them before the first result.
 */
export interface ParallelStep {
  readonly kind: 'parallel';
  readonly steps: readonly SingleStep[];
}

export interface QueryStep {
  readonly kind: 'query';
  readonly query: Query<never, unknown>;
  /** The value of each parameter, by name. */
  readonly values: object;
}

/** One query for a list of values. A runner may execute it as a single statement. */
export interface EachStep {
  readonly kind: 'each';
  readonly query: Query<never, unknown>;
  readonly list: readonly object[];
  /** A runner may execute it with the next step or the commit. Its rows are not returned. */
  readonly isDeferred?: boolean;
}

/**
 * Locks keys that need not have a row, until the end of the transaction. Shared locks of the same
 * key do not block each other. A database with a single writer needs no such locks and skips the
 * step.
 */
export interface LockStep {
  readonly kind: 'lock';
  readonly on: 'account' | 'file' | 'routes' | 'task';
  readonly keys: readonly string[];
  readonly isShared: boolean;
}

/** Adds a job to the queue or removes it, in the transaction of the unit. */
export type JobStep = EnqueueJobStep | RemoveJobStep;

export interface EnqueueJobStep {
  readonly kind: 'enqueue-job';
  readonly job: JobReference & {
    readonly accountId: string;
    /** Jobs with a lower turn are claimed first. */
    readonly turn: number;
  };
}

export interface RemoveJobStep {
  readonly kind: 'remove-job';
  readonly job: JobReference;
}

interface JobReference {
  readonly kind: JobKind;
  readonly key: string;
  readonly at: Date;
}

/** Calls the listeners of a feed once, after the commit. */
export interface FeedChangedStep {
  readonly kind: 'feed-changed';
  readonly service: string;
}

/** Calls the listeners for deliveries once, after the commit. */
export interface DeliveriesQueuedStep {
  readonly kind: 'deliveries-queued';
}

/** Invalidates the access caches of all nodes: an account, a token or a service has changed. */
export interface AccessChangedStep {
  readonly kind: 'access-changed';
}

/**
 * How to refund what the unit has charged. A runner that cannot find out whether the commit
 * succeeded reports a failure, and runs the compensation if the commit turns out to have succeeded.
 */
export interface CompensationStep {
  readonly kind: 'compensation';
  readonly compensate: () => UnitOfWork<void>;
}

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

export function* rows<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  values: Arguments,
): UnitOfWork<readonly Row[]> {
  // The runner returns the rows of this query.
  return (yield queryStep(query, values)) as readonly Row[];
}

export function queryStep<Arguments extends object>(
  query: Query<Arguments, unknown>,
  values: Arguments,
): QueryStep {
  return { kind: 'query', query: query as Query<never, unknown>, values };
}

export function* row<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  values: Arguments,
): UnitOfWork<Row | undefined> {
  return (yield* rows(query, values))[0];
}

/**
 * The rows of one query for each element of a list. For an insert, an update or a delete, no two
 * elements may concern the same row: a runner may execute them as one statement.
 */
export function* each<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  list: readonly Arguments[],
): UnitOfWork<readonly (readonly Row[])[]> {
  if (list.length === 0) return [];
  // The runner returns one list of rows for each element.
  const results = yield { kind: 'each', query: query as Query<never, unknown>, list };
  return results as readonly (readonly Row[])[];
}

/**
 * Like `each`, for writes whose result the unit does not need. PostgreSQL gets them together with
 * the next step or with the commit, in order, which saves a round trip.
 */
export function* eachDeferred<Arguments extends object>(
  query: Query<Arguments, unknown>,
  list: readonly Arguments[],
): UnitOfWork<void> {
  if (list.length === 0) return;
  yield { kind: 'each', query: query as Query<never, unknown>, list, isDeferred: true };
}

/**
 * Runs units step by step in parallel: the first steps of all of them, in their order, then the
 * second steps, and so on. So the first step of a unit may rely on locks that the first step of an
 * earlier one takes. Apart from that, none may wait for a lock or read a row that another one takes
 * or writes.
 */
export function* inParallel<Results extends readonly unknown[]>(
  ...units: { readonly [Index in keyof Results]: UnitOfWork<Results[Index]> }
): UnitOfWork<Results> {
  const results = units.map((unit) => unit.next([]));
  for (;;) {
    const running = results.flatMap((result, index) =>
      result.done ? [] : { index, step: result.value },
    );
    // All units have returned.
    if (running.length === 0) return results.map(({ value }) => value) as unknown as Results;
    const steps = running.flatMap(({ step }) => (step.kind === 'parallel' ? step.steps : [step]));
    const answers = [...((yield { kind: 'parallel', steps }) as readonly (readonly unknown[])[])];
    for (const { index, step } of running) {
      const answer =
        step.kind === 'parallel' ? answers.splice(0, step.steps.length) : answers.shift();
      results[index] = (units[index] as UnitOfWork<unknown>).next(
        answer ?? [],
      ) as (typeof results)[number];
    }
  }
}

/**
 * A unit that changes what an account may do takes the exclusive lock, a unit that relies on it the
 * shared one. To avoid deadlocks, accounts are locked before files and feeds.
 */
export function* lockAccounts(ids: readonly string[], { isShared = false } = {}): UnitOfWork<void> {
  if (ids.length > 0) yield { kind: 'lock', on: 'account', keys: ids, isShared };
}

/** To avoid deadlocks, files are locked before feeds. */
export function* lockFiles(hashes: readonly string[], { isShared = false } = {}): UnitOfWork<void> {
  if (hashes.length > 0) yield { kind: 'lock', on: 'file', keys: hashes, isShared };
}

/**
 * A unit that changes which service answers for a host takes the exclusive lock, a unit that stores
 * routes the shared one. To avoid deadlocks, it is taken after files and before feeds.
 */
export function* lockRoutes({ isShared = false } = {}): UnitOfWork<void> {
  yield { kind: 'lock', on: 'routes', keys: ['routes'], isShared };
}

/** Background work on the whole store runs on one node at a time. */
export function* lockTask(name: string): UnitOfWork<void> {
  yield { kind: 'lock', on: 'task', keys: [name], isShared: false };
}

export function* enqueueJob(job: EnqueueJobStep['job']): UnitOfWork<void> {
  yield { kind: 'enqueue-job', job };
}

export function* removeFromQueue(job: RemoveJobStep['job']): UnitOfWork<void> {
  yield { kind: 'remove-job', job };
}

export function* announce(service: string): UnitOfWork<void> {
  yield { kind: 'feed-changed', service };
}

export function* announceDeliveries(): UnitOfWork<void> {
  yield { kind: 'deliveries-queued' };
}

export function* announceAccessChange(): UnitOfWork<void> {
  yield { kind: 'access-changed' };
}

export function* compensateWith(compensate: () => UnitOfWork<void>): UnitOfWork<void> {
  yield { kind: 'compensation', compensate };
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

/** Runs units of work on one database. */
export interface Runner {
  /** All statements of the unit see the store at one moment. */
  read<Result>(work: () => UnitOfWork<Result>): Promise<Result>;
  /**
   * Like `read`, for the first row of one query. On PostgreSQL that is a single statement, without
   * one that begins and one that ends a transaction.
   */
  readOne<Arguments extends object, Row>(
    query: Query<Arguments, Row>,
    values: Arguments,
  ): Promise<Row | undefined>;
  /**
   * Resolves after the commit is flushed. The transaction may be shared with other pending units.
   */
  write<Result>(work: () => UnitOfWork<Result>): Promise<Result>;
  /**
   * Like `write`, for calls that arrive by the thousand: one unit of work handles all pending calls
   * and returns their results in order. `key` names the row that the call locks. If that row stays
   * locked, calls with other keys do not wait for it.
   */
  batchWrite<Input, Result>(
    work: BatchUnit<Input, Result>,
    input: Input,
    key: string,
  ): Promise<Result>;
  /** Like `batchWrite`, for reads: all pending calls share one snapshot of the store. */
  batchRead<Input, Result>(work: BatchUnit<Input, Result>, input: Input): Promise<Result>;
  /** Whether another process may have changed the store since the last call. */
  changedElsewhere(): boolean;
  /** Whether the last write failed because of the disk. Only for a database in a local file. */
  hasWriteFault?(): boolean;
  /**
   * Calls the listener after each commit for each changed feed, of this process or another. Calls
   * may come twice. Returns the unsubscriber.
   */
  onChange(listener: (service: string) => void): () => void;
  /** Calls the listener, with the reason, when the store no longer admits this process. */
  onRefused(listener: (reason: string) => void): void;
  /** Calls the listener after each commit that queued deliveries. Returns the unsubscriber. */
  onDeliveries(listener: () => void): () => void;
  /** Calls the listener after another node has queued jobs. Returns the unsubscriber. */
  onJobs(listener: () => void): () => void;
  close(): Promise<void>;
}

/** A unit of work for a batch of calls. Runners batch the calls that pass the same function. */
export type BatchUnit<Input, Result> = (inputs: readonly Input[]) => UnitOfWork<readonly Result[]>;
