import type { Log } from '../observability/log.ts';
import type { PoolCounts } from '../observability/metrics.ts';
import type { Clock, MachineClock } from '../ports/clock.ts';
import type { Queue } from '../ports/queue.ts';
import type { Serializers, Store } from '../ports/store.ts';
import { DatabaseClock } from '../storage/postgres/clock.ts';
import { openPostgres } from '../storage/postgres/open.ts';
import type { Pools } from '../storage/postgres/pools.ts';
import { explain } from '../storage/postgres/refusals.ts';
import { PostgresRunner, type RunJobStep } from '../storage/postgres/runner.ts';
import { storeOver } from '../storage/store.ts';
import { openBossQueue } from './pg-boss.ts';

export interface PostgresOptions {
  readonly url: string;
  /** How many connections this process may have, besides the one by which it hears of others. */
  readonly poolSize: number;
  /** How long a statement may take; no longer than any of a server's by default. */
  readonly statementMs?: number | undefined;
  readonly serializers: Serializers;
  /** By which callers name moments, where that is not the time of the database. */
  readonly now?: () => Date;
  /** Where this is not a test, that of the system. */
  readonly machine?: MachineClock;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

interface OpenDatabase {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  /** How many connections are in use, for whoever watches. */
  connections(): readonly PoolCounts[];
}

/** Store and queue in one database: a job is added in the transaction of what it is about. Closing the store closes both. */
export async function openPostgresDatabase(options: PostgresOptions): Promise<OpenDatabase> {
  const { url, poolSize, statementMs, serializers, machine, log } = options;
  const { connection, pools } = await openPostgres(url, poolSize, statementMs);
  try {
    const clock = await DatabaseClock.open(pools.reads, machine);
    const { now = () => clock.now() } = options;
    const boss = await openBossQueue({ pool: pools.jobs, now, log });
    const runJobStep: RunJobStep = (client, step) => {
      const db = {
        executeSql: (text: string, values: unknown[] = []) => client.query(text, values),
      };
      return step.job === 'add' ? boss.enqueue(db, step) : boss.remove(db, step.kind, step.key);
    };
    const store = storeOver(
      new PostgresRunner({ pools, connection, runJobStep, clock }),
      serializers,
    );
    const close = async () => {
      await boss.stop();
      await store.close();
    };
    return {
      store: { ...store, close },
      queue: boss.queue,
      clock,
      connections: () => countConnections(pools),
    };
  } catch (cause) {
    await pools.end();
    throw explain(cause, url);
  }
}

function countConnections({ gathered, reads, writes, jobs }: Pools): readonly PoolCounts[] {
  return Object.entries({ gathered, reads, writes, jobs }).map(([name, pool]) => ({
    pool: name,
    inUse: pool.totalCount - pool.idleCount,
    waiting: pool.waitingCount,
    limit: pool.options.max,
  }));
}
