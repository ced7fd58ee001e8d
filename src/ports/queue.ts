/**
 * Background work that survives a crash. Each job runs at least once, and one worker at a time
 * holds its lease. Every method that takes a `Job` returns `false`, and changes nothing, if the
 * lease is lost: another worker has leased the job since, or it was removed.
 */
export interface Queue {
  /** Leases up to `limit` pending jobs, by fair shares of their accounts. */
  lease(kind: JobKind, limit: number): Promise<readonly Job[]>;
  /**
   * Keeps the lease. A worker sends heartbeats more often than `heartbeatSeconds` of the policy.
   */
  heartbeat(job: Job): Promise<boolean>;
  /** Removes the job: it is done. */
  complete(job: Job): Promise<boolean>;
  /** Ends the attempt. The job is pending again after the delay that the retry policy declares. */
  retry(job: Job, reason: string): Promise<boolean>;
  /** Ends the lease without counting an attempt. The job keeps its place in the order. */
  release(job: Job, options?: ReleaseOptions): Promise<boolean>;
  /**
   * The number of jobs that no worker holds, due or delayed, up to `MAX_COUNTED_JOBS`. An adapter
   * may answer from statistics that are some seconds old.
   */
  countPending(kind: JobKind): Promise<number>;
}

/** One lease of a job. */
export interface Job {
  /** Identifies the lease: every lease of the same job has another id. */
  readonly id: string;
  /** The subject of the job; a kind and key have at most one job. For `analyse` a SHA-256. */
  readonly key: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

export interface ReleaseOptions {
  /** The job is not leased again before that. 0 by default. */
  readonly delaySeconds?: number;
}

/** Counting more would only take longer: a queue of this length is long. */
export const MAX_COUNTED_JOBS = 10_000;

export const JOB_KINDS = ['analyse'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

export interface QueuePolicy {
  /**
   * A job that was leased more often ends as failed. The handler of the job records that, so the
   * queue itself never drops a job.
   */
  readonly maxAttempts: number;
  /** Before the second attempt. Each further attempt waits twice as long, up to the maximum. */
  readonly retryDelaySeconds: number;
  readonly maxRetryDelaySeconds: number;
  /**
   * A lease without a heartbeat for this long is lost, and counts as an attempt. The job is pending
   * again within a minute.
   */
  readonly heartbeatSeconds: number;
}

export const QUEUE_POLICIES: Readonly<Record<JobKind, QueuePolicy>> = {
  analyse: {
    maxAttempts: 3,
    retryDelaySeconds: 2,
    maxRetryDelaySeconds: 10,
    heartbeatSeconds: 10,
  },
};
