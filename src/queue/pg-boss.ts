import type pg from 'pg';
import { type Db, type JobWithMetadata, PgBoss, type QueueOptions } from 'pg-boss';
import type { Log } from '../observability/log.ts';
import {
  type Backlog,
  type BacklogWish,
  type ClaimWish,
  type Job,
  type JobKind,
  MOST_COUNTED_JOBS,
  type Queue,
} from '../ports/queue.ts';
import { BossDatabase } from './boss-database.ts';
import { type BossStatements, bossStatements } from './boss-statements.ts';

/** The queue of pg-boss, and the ways into it that are part of somebody's transaction. */
export interface BossQueue {
  readonly queue: Queue;
  /**
   * On the transaction that is handed in. It is due when that commits, by the clock of the database. Where there is such
   * a job already, that one stays.
   */
  enqueue(db: Db, job: QueuedJob): Promise<void>;
  /** On the transaction that is handed in; whoever works on it has lost its lease. */
  remove(db: Db, kind: JobKind, key: string): Promise<void>;
  /** Ends its upkeep. The pool is left open. */
  stop(): Promise<void>;
}

export interface QueuedJob {
  readonly kind: JobKind;
  readonly key: string;
  readonly accountId: string;
  /** From 1 on; jobs with a lower turn are claimed first. */
  readonly turn: number;
}

export interface BossOptions {
  readonly pool: pg.Pool;
  /** By which the callers of this process name moments. The database is told how far off they are, not when. */
  readonly now: () => Date;
  readonly log: Pick<Log, 'error' | 'warn'>;
  readonly schema?: string;
}

/** One queue of pg-boss for each kind. */
const QUEUES: Readonly<Record<JobKind, string>> = { analyse: 'analyse' };

const FOR_EVER = 2 ** 31 - 1;
const DAY_SECONDS = 86_400;

/**
 * How often a job is tried is for whoever claims it to say, and a job that waits is kept until it is done: pg-boss would
 * give up on both.
 */
const SETTINGS = {
  retryLimit: FOR_EVER,
  retryDelay: 0,
  retentionSeconds: FOR_EVER,
  // The least that there is. What a claim gets beyond that, or less, is in the moment of the heartbeat.
  heartbeatSeconds: 10,
  // The most that there is: no claim lasts longer, however often it is extended.
  expireInSeconds: DAY_SECONDS,
} satisfies QueueOptions;

/** What its upkeep is doing when we stop may take this long. */
const STOP_MS = 5000;
/** The least that pg-boss can hold. Jobs beyond it, of an account that has had two billion, are claimed as they come. */
const LEAST_PRIORITY = -(2 ** 31);
const NO_JOB = '00000000-0000-0000-0000-000000000000';

/** Makes or upgrades the tables of pg-boss, with however many others that start at the same time. */
export async function openBossQueue(options: BossOptions): Promise<BossQueue> {
  const { pool, now, log, schema = 'pgboss' } = options;
  const database = new BossDatabase(pool);
  // Neither schedules nor jobs that wait for others are used.
  const quiet = { schedule: false, flowIntervalSeconds: DAY_SECONDS };
  const boss = new PgBoss({ db: database, schema, ...quiet });
  const tell = (err: unknown) => log.error({ err }, 'the upkeep of the queue failed');
  // Where it cannot be opened that is said once, by whoever opens it.
  let early: unknown[] | undefined = [];
  boss.on('error', (err) => (early === undefined ? tell(err) : early.push(err)));
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  const stop = async () => {
    const late = setTimeout(() => database.cut(), STOP_MS);
    await boss.stop({ graceful: false, close: false });
    clearTimeout(late);
  };
  try {
    await boss.start();
    for (const name of Object.values(QUEUES)) await openKind(boss, name);
  } catch (cause) {
    await stop();
    throw cause;
  }
  early.forEach(tell);
  early = undefined;
  const statements = bossStatements(schema);
  return {
    queue: new PgBossQueue({ boss, database, statements, now, log }),
    async enqueue(db, { kind, key, accountId, turn }) {
      const group = { id: accountId };
      await boss.send(QUEUES[kind], null, {
        singletonKey: key,
        group,
        priority: toPriority(turn),
        db,
      });
    },
    async remove(db, kind, key) {
      await db.executeSql(statements.remove, [QUEUES[kind], key]);
    },
    stop,
  };
}

async function openKind(boss: PgBoss, name: string): Promise<void> {
  await boss.createQueue(name, { policy: 'exclusive', ...SETTINGS });
  // One that another version made has the settings of that one.
  await boss.updateQueue(name, SETTINGS);
  // It looks up the queue at the first call, on a connection of its own. Were that a call inside a transaction, all
  // connections could be held by transactions that wait for one more.
  await boss.findJobs(name, { id: NO_JOB });
}

interface Parts {
  readonly boss: PgBoss;
  readonly database: BossDatabase;
  readonly statements: BossStatements;
  readonly now: () => Date;
  readonly log: Pick<Log, 'warn'>;
}

/** What we keep with a job: how many of its claims were given back, and do not count as attempts. */
interface JobData {
  readonly released?: number;
}

class PgBossQueue implements Queue {
  readonly #boss: PgBoss;
  readonly #database: BossDatabase;
  readonly #sql: BossStatements;
  readonly #now: () => Date;
  readonly #log: Pick<Log, 'warn'>;

  constructor({ boss, database, statements, now, log }: Parts) {
    this.#boss = boss;
    this.#database = database;
    this.#sql = statements;
    this.#now = now;
    this.#log = log;
  }

  /** In one transaction: a claim that is cut off leaves no job leased to nobody, and uses up no attempt. */
  async claim(kind: JobKind, { limit, leaseMs }: ClaimWish): Promise<readonly Job[]> {
    const name = QUEUES[kind];
    const claimed = await this.#database.transact(async (db) => {
      await db.executeSql(this.#sql.takeBack, [name, leaseMs, limit]);
      const wish = { batchSize: limit, includeMetadata: true, db } as const;
      const fetched = await this.#boss.fetch<JobData | null>(name, wish);
      if (fetched.length > 0)
        await db.executeSql(this.#sql.lease, [name, fetched.map(({ id }) => id), leaseMs]);
      return inTurn(fetched);
    });
    const last = claimed.at(-1);
    if (last !== undefined) await this.#moveClock(kind, turnOf(last));
    return claimed.map(claimOf);
  }

  /**
   * Outside the transaction of the claim: all nodes share its row, and one that stops before its commit would stop the
   * claims of all. Where it fails the next claim moves the clock; until then only the order of new jobs is less fair.
   */
  async #moveClock(kind: JobKind, turn: number): Promise<void> {
    try {
      await this.#database.executeSoon(this.#sql.moveClock, [kind, turn]);
    } catch (err) {
      this.#log.warn({ err }, 'the turns of the queue were not moved on');
    }
  }

  extend(job: Job, until: Date): Promise<boolean> {
    return this.#settle(this.#sql.extend, job, this.#msUntil(until));
  }

  async complete(job: Job): Promise<boolean> {
    const { name, id, retryCount } = heldBy(job);
    // Its types leave out what it answers.
    const { affected } = (await this.#database.transact((db) =>
      this.#boss.deleteJob(name, { id, retryCount }, { db }),
    )) as { affected?: number };
    return affected === 1;
  }

  retry(job: Job, at: Date, reason: string): Promise<boolean> {
    const output = JSON.stringify({ reason: storable(reason) });
    return this.#settle(this.#sql.postpone, job, this.#msUntil(at), output, 0);
  }

  release(job: Job, at?: Date): Promise<boolean> {
    const waitMs = at && this.#msUntil(at);
    return this.#settle(this.#sql.postpone, job, waitMs ?? null, null, 1);
  }

  async depth(kind: JobKind): Promise<number> {
    return await this.#database.transact(async (db) => {
      const { rows } = await db.executeSql(this.#sql.count, [QUEUES[kind], MOST_COUNTED_JOBS]);
      return rows[0].count;
    });
  }

  async backlog(kind: JobKind, { most }: BacklogWish): Promise<Backlog> {
    return await this.#database.transact(async (db) => {
      const { rows } = await db.executeSql(this.#sql.backlog, [QUEUES[kind], most]);
      return { waiting: rows[0]?.count ?? 0, oldestMs: rows[0]?.oldest_ms };
    });
  }

  /** Whether it was still the claim of that job. */
  async #settle(statement: string, job: Job, ...values: unknown[]): Promise<boolean> {
    const { name, id, retryCount } = heldBy(job);
    return await this.#database.transact(async (db) => {
      const { rows } = await db.executeSql(statement, [name, id, retryCount, ...values]);
      return rows.length === 1;
    });
  }

  #msUntil(moment: Date): number {
    return moment.getTime() - this.#now().getTime();
  }
}

/** PostgreSQL holds neither a zero nor half a character in JSON. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

type Claimed = JobWithMetadata<JobData | null>;

/** An update returns its rows in any order. */
function inTurn(jobs: readonly Claimed[]): readonly Claimed[] {
  return jobs.toSorted(
    (a, b) => b.priority - a.priority || a.createdOn.getTime() - b.createdOn.getTime(),
  );
}

function toPriority(turn: number): number {
  return Math.max(-turn, LEAST_PRIORITY);
}

function turnOf(job: Claimed): number {
  return -job.priority;
}

function claimOf({ name, id, retryCount, singletonKey, data }: Claimed): Job {
  return {
    id: [name, id, retryCount].join(' '),
    key: singletonKey ?? '',
    attempt: retryCount + 1 - (data?.released ?? 0),
  };
}

/** The id that a worker knows is that of its own claim. */
function heldBy(job: Job): { name: string; id: string; retryCount: number } {
  const [name = '', id = '', retryCount] = job.id.split(' ');
  return { name, id, retryCount: Number(retryCount) };
}
