import { createHash } from 'node:crypto';
import type pg from 'pg';
import { type Db, PgBoss, type QueueOptions } from 'pg-boss';
import type { Log } from '../observability/log.ts';
import { JOB_KINDS, type JobKind, QUEUE_POLICIES } from '../ports/queue.ts';
import type { RunJobStep } from '../storage/postgres/execution.ts';
import { BossDatabase } from './boss-database.ts';

export interface BossOptions {
  readonly pool: pg.Pool;
  readonly log: Pick<Log, 'error' | 'warn'>;
  readonly schema?: string;
}

/** A started pg-boss, with one of its queues for each kind of job. */
export interface Boss {
  readonly boss: PgBoss;
  readonly database: BossDatabase;
  /** Stops the maintenance. The pool stays open. */
  stop(): Promise<void>;
}

export interface NewBossJob {
  readonly kind: JobKind;
  readonly key: string;
  readonly accountId: string;
  /** From 1 on. Jobs with a lower one are leased first. */
  readonly startTag: number;
}

const UNLIMITED = 2 ** 31 - 1;
const DAY_SECONDS = 86_400;
/**
 * How often pg-boss searches for leases without heartbeats and refreshes its statistics. One node
 * of the cluster does so for all. With a heartbeat of 10 seconds and the delay of a retry, the job
 * of a dead worker is pending again within 50 seconds.
 */
const SUPERVISE_SECONDS = 15;
/** Maintenance that is running when the queue stops gets this long to end. */
const STOP_TIMEOUT_MS = 5000;
/**
 * A new job is due since long ago, so it stays due if the clock of the database is set back. It
 * must not be earlier: pg-boss keeps a job for `retentionSeconds` from then on, until 2068.
 */
const ALWAYS_DUE = new Date('2000-01-01T00:00:00Z');
/** The lowest `priority`. Jobs with start tags beyond 2^31 are leased by age. */
const MIN_PRIORITY = -(2 ** 31);
const NO_JOB_ID = '00000000-0000-0000-0000-000000000000';

/** Creates or upgrades the tables of pg-boss. Any number of nodes may do so at the same time. */
export async function openBoss({ pool, log, schema = 'pgboss' }: BossOptions): Promise<Boss> {
  const database = new BossDatabase(pool);
  const boss = new PgBoss({
    db: database,
    schema,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    // Neither schedules nor dependencies between jobs are used.
    schedule: false,
    flowIntervalSeconds: DAY_SECONDS,
  });
  const logError = (err: unknown) => log.error({ err }, 'the maintenance of the queue failed');
  // If the queue cannot be opened, the caller gets the error, and the log does not repeat it.
  let startErrors: unknown[] | undefined = [];
  boss.on('error', (err) => (startErrors === undefined ? logError(err) : startErrors.push(err)));
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  const stop = async () => {
    const timeout = setTimeout(() => database.cancel(), STOP_TIMEOUT_MS);
    await boss.stop({ graceful: false, close: false });
    clearTimeout(timeout);
  };
  try {
    await boss.start();
    for (const kind of JOB_KINDS) await openQueue(boss, kind);
  } catch (cause) {
    await stop();
    throw cause;
  }
  startErrors.forEach(logError);
  startErrors = undefined;
  return { boss, database, stop };
}

async function openQueue(boss: PgBoss, kind: JobKind): Promise<void> {
  const settings = settingsOf(kind);
  await boss.createQueue(kind, { policy: 'exclusive', ...settings });
  // A queue that an earlier version created keeps the settings of that version otherwise.
  await boss.updateQueue(kind, settings);
  // pg-boss reads the queue at the first call, on a connection of its own. If that call were part
  // of a transaction, all connections could be held by transactions that wait for one more.
  await boss.findJobs(kind, { id: NO_JOB_ID });
}

function settingsOf(kind: JobKind): QueueOptions {
  const policy = QUEUE_POLICIES[kind];
  return {
    retryDelay: policy.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: policy.maxRetryDelaySeconds,
    heartbeatSeconds: policy.heartbeatSeconds,
    // pg-boss drops a job beyond these limits, and its sample would never end. The handler of the
    // job counts the attempts instead, and records the failure with the sample.
    retryLimit: UNLIMITED,
    retentionSeconds: UNLIMITED,
    // The maximum of pg-boss. A lease ends after a day even with heartbeats.
    expireInSeconds: DAY_SECONDS,
  };
}

/** Runs the job steps of units of work, on the connection of their transaction. */
export function jobStepsOf(boss: Boss): RunJobStep {
  return (client, step) => {
    const db = { executeSql: (text: string, values: unknown[] = []) => client.query(text, values) };
    return step.kind === 'enqueue-job'
      ? addBossJob(boss, db, step.job)
      : removeBossJob(boss, db, step.job);
  };
}

/** Adds a job in the transaction of `db`. An existing job of the same key stays as it is. */
export async function addBossJob({ boss }: Boss, db: Db, job: NewBossJob): Promise<void> {
  const { kind, key, accountId, startTag } = job;
  await boss.send(kind, null, {
    id: jobId(kind, key),
    singletonKey: key,
    group: { id: accountId },
    priority: Math.max(-startTag, MIN_PRIORITY),
    startAfter: ALWAYS_DUE,
    db,
  });
}

/** Removes a job in the transaction of `db`. A lease of it is lost. */
export async function removeBossJob(
  { boss }: Boss,
  db: Db,
  { kind, key }: Pick<NewBossJob, 'kind' | 'key'>,
): Promise<void> {
  await boss.deleteJob(kind, jobId(kind, key), { db });
}

/**
 * The id follows from the key, so a job is removed by its primary key. pg-boss has no index by
 * which `findJobs` could find a `singletonKey`. The form is that of a UUID of version 8.
 */
function jobId(kind: JobKind, key: string): string {
  const bytes = createHash('sha256').update(`${kind} ${key}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
