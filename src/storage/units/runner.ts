import type { Query } from './query.ts';
import type { UnitOfWork } from './unit-of-work.ts';

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
