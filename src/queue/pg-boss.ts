import type { JobWithMetadata } from 'pg-boss';
import type { Log } from '../observability/log.ts';
import { pause } from '../platform/pause.ts';
import {
  type Job,
  type JobKind,
  MAX_COUNTED_JOBS,
  type Queue,
  type ReleaseOptions,
} from '../ports/queue.ts';
import { advanceVirtualTime, highestTag } from '../storage/tables/jobs/fair-queueing.ts';
import type { Runner } from '../storage/units/runner.ts';
import type { Boss } from './boss.ts';

export interface PgBossQueueOptions {
  readonly boss: Boss;
  /** The runner of the store, which holds the start tags of accounts. */
  readonly runner: Pick<Runner, 'write'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Until a lease returns, its worker sends no heartbeats, so it does not wait longer for the virtual
 * time.
 */
const MAX_ADVANCE_MS = 1000;

/** The payload of a job. */
interface JobData {
  /** The number of leases that were released, and do not count as attempts. */
  readonly released?: number;
}

type LeasedJob = JobWithMetadata<JobData | null>;

/**
 * The queue port on the public calls of pg-boss. A lease is a job and its `retryCount`, which grows
 * with each lease; pg-boss ignores a call with an older one.
 */
export class PgBossQueue implements Queue {
  readonly #boss: Boss['boss'];
  readonly #database: Boss['database'];
  readonly #runner: Pick<Runner, 'write'>;
  readonly #log: Pick<Log, 'warn'>;
  #isAdvancing = false;

  constructor({ boss: { boss, database }, runner, log }: PgBossQueueOptions) {
    this.#boss = boss;
    this.#database = database;
    this.#runner = runner;
    this.#log = log;
  }

  /** In a transaction: if the answer is lost, the lease is rolled back and costs no attempt. */
  async lease(kind: JobKind, limit: number): Promise<readonly Job[]> {
    const fetched = await this.#database.transact((db) =>
      this.#boss.fetch<JobData | null>(kind, { batchSize: limit, includeMetadata: true, db }),
    );
    const leased = fetched.toSorted(byStartTag);
    const last = highestTag(leased.map(startTagOf));
    if (last !== undefined) await this.#advanceVirtualTime(kind, last);
    return leased.map(toJob);
  }

  /**
   * Not in the transaction of the lease: all nodes share the row, and a node that freezes before
   * its commit would block the leases of the others. If it fails or takes long, a later lease
   * advances it, and until then only the order of new jobs is less fair.
   */
  async #advanceVirtualTime(kind: JobKind, startTag: number): Promise<void> {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    const ended = new AbortController();
    this.#runner
      .write(() => advanceVirtualTime(kind, startTag))
      .catch((err) => this.#log.warn({ err }, 'the virtual time of the queue was not advanced'))
      .finally(() => {
        this.#isAdvancing = false;
        ended.abort();
      });
    await pause(MAX_ADVANCE_MS, ended.signal, { ref: true });
  }

  async heartbeat(job: Job): Promise<boolean> {
    const { kind, ...attempt } = leaseOf(job);
    return isAffected(await this.#boss.touch(kind, attempt, { db: this.#database.timed }));
  }

  /** Deletes the job: its result is stored with the sample. */
  async complete(job: Job): Promise<boolean> {
    const { kind, ...attempt } = leaseOf(job);
    return isAffected(await this.#boss.deleteJob(kind, attempt, { db: this.#database.timed }));
  }

  async retry(job: Job, reason: string): Promise<boolean> {
    const { kind, ...attempt } = leaseOf(job);
    const output = { reason: toJsonText(reason) };
    return isAffected(await this.#boss.fail(kind, attempt, output, { db: this.#database.timed }));
  }

  /**
   * pg-boss has no call that ends a lease without a failure. `cancel` ends it, `resume` makes the
   * job pending again, and `update` counts the release and sets the delay: one transaction. Without
   * a delay the job stays due since it was, so it does not wait for a clock that is set back.
   */
  async release(job: Job, { delaySeconds = 0 }: ReleaseOptions = {}): Promise<boolean> {
    const { kind, id, retryCount } = leaseOf(job);
    return await this.#database.transact(async (db) => {
      if (!isAffected(await this.#boss.cancel(kind, { id, retryCount }, { db }))) return false;
      await this.#boss.resume(kind, id, { db });
      const releasedBefore = retryCount + 1 - job.attempt;
      const data: JobData = { released: releasedBefore + 1 };
      const delay = delaySeconds > 0 ? { startAfter: delaySeconds } : {};
      await this.#boss.update(kind, data, { id, ...delay, db });
      return true;
    });
  }

  /** From the statistics that the maintenance of pg-boss refreshes. */
  async countPending(kind: JobKind): Promise<number> {
    const [latest] = await this.#boss.getQueueStats(kind, { force: true });
    return Math.min(latest?.queuedCount ?? 0, MAX_COUNTED_JOBS);
  }
}

/** The types of pg-boss leave out what its commands return. */
function isAffected(response: { readonly affected?: number }): boolean {
  return response.affected === 1;
}

/** PostgreSQL stores neither U+0000 nor an unpaired surrogate in JSON. */
function toJsonText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** An update returns its rows in any order. */
function byStartTag(a: LeasedJob, b: LeasedJob): number {
  return b.priority - a.priority || a.createdOn.getTime() - b.createdOn.getTime();
}

function startTagOf(job: LeasedJob): number {
  return -job.priority;
}

function toJob({ name, id, retryCount, singletonKey, data }: LeasedJob): Job {
  return {
    id: [name, id, retryCount].join(' '),
    key: singletonKey ?? '',
    attempt: retryCount + 1 - (data?.released ?? 0),
  };
}

function leaseOf(job: Job): { kind: string; id: string; retryCount: number } {
  const [kind = '', id = '', retryCount] = job.id.split(' ');
  return { kind, id, retryCount: Number(retryCount) };
}
