import type { JobKind } from '../../ports/queue.ts';
import type { Query } from './query.ts';

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
    /** Jobs with a lower one are leased first; see `fair-queueing.ts`. */
    readonly startTag: number;
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
  readonly compensate: () => Generator<Step, void, readonly unknown[]>;
}
