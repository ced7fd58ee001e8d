/** Work that survives a crash: each job is done at least once, by one worker at a time while its lease holds. */
export interface Job {
  /** Of this claim: another claim of the same job has another. */
  readonly id: string;
  /** What it is about; there is one job for a kind and key at a time. For `analyse` a SHA-256. */
  readonly key: string;
  /** 1 at the first try. */
  readonly attempt: number;
}

export const JOB_KINDS = ['analyse'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** Counting more would only take longer: a queue of this length is long. */
export const MOST_COUNTED_JOBS = 10_000;

export interface Queue {
  /**
   * Jobs that are due, the oldest first, leased until `now + leaseMs`; one whose lease ran out is due again. A clock
   * that is set back makes no job wait for the time that it showed before.
   */
  claim(kind: JobKind, wish: ClaimWish): Promise<readonly Job[]>;
  /** Keeps it a while longer, no longer than a new claim would; `false` where the lease was lost. */
  extend(job: Job, until: Date): Promise<boolean>;
  /** It is done. `false` where the lease was lost: somebody else does it. */
  complete(job: Job): Promise<boolean>;
  /** To be tried again, not before `at`. */
  retry(job: Job, at: Date, reason: string): Promise<boolean>;
  /** Given back as if it had never been claimed: the attempt does not count. Not before `at`, if that is given. */
  release(job: Job, at?: Date): Promise<boolean>;
  /** How many wait or run, up to `MOST_COUNTED_JOBS`. */
  depth(kind: JobKind): Promise<number>;
  /** What nobody works on, due or not yet. Cheap, however much that is. */
  backlog(kind: JobKind, wish: BacklogWish): Promise<Backlog>;
}

export interface Backlog {
  /** So many, or more where it is as many as were to be counted. */
  readonly waiting: number;
  /** Since the oldest of them was added; `undefined` where there is none. */
  readonly oldestMs: number | undefined;
}

export interface BacklogWish {
  /** How many are counted. */
  readonly most: number;
  /** By the clock of this process. Where the database has one, that one counts. */
  readonly now: Date;
}

export interface ClaimWish {
  readonly limit: number;
  readonly leaseMs: number;
  /** By the clock of this process. Where the database has one, that one counts. */
  readonly now: Date;
}
