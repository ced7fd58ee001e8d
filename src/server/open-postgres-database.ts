import type { Log } from '../observability/log.ts';
import type { PoolCounts } from '../observability/metrics.ts';
import type { Clock, MachineClock } from '../ports/clock.ts';
import type { Queue } from '../ports/queue.ts';
import type { Serializers, Store } from '../ports/store.ts';
import { jobStepsOf, openBoss } from '../queue/boss.ts';
import { PgBossQueue } from '../queue/pg-boss.ts';
import { DatabaseClock } from '../storage/postgres/clock.ts';
import { setupError } from '../storage/postgres/connection-errors.ts';
import { openPostgres } from '../storage/postgres/open.ts';
import type { Pools } from '../storage/postgres/pools.ts';
import { PostgresRunner } from '../storage/postgres/runner.ts';
import { createStore } from '../storage/stores/store.ts';

export interface PostgresOptions {
  readonly url: string;
  /** The number of connections of this process, besides the one that listens for changes. */
  readonly poolSize: number;
  /** How long a statement may take. By default that of a server. */
  readonly statementMs?: number | undefined;
  readonly serializers: Serializers;
  /** By default that of the system. */
  readonly machine?: MachineClock;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

interface OpenDatabase {
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  /** The connections in use, for the metrics. */
  connections(): readonly PoolCounts[];
}

/** Opens store and queue in one database. Closing the store closes both. */
export async function openPostgresDatabase(options: PostgresOptions): Promise<OpenDatabase> {
  const { url, poolSize, statementMs, serializers, machine, log } = options;
  const { connection, pools } = await openPostgres(url, poolSize, statementMs);
  try {
    const clock = await DatabaseClock.open(pools.reads, machine);
    const boss = await openBoss({ pool: pools.jobs, log });
    const runJobStep = jobStepsOf(boss);
    const runner = new PostgresRunner({ pools, connection, runJobStep, clock });
    const store = createStore(runner, serializers);
    const close = async () => {
      await boss.stop();
      await store.close();
    };
    return {
      store: { ...store, close },
      queue: new PgBossQueue({ boss, runner, log }),
      clock,
      connections: () => countConnections(pools),
    };
  } catch (cause) {
    await pools.end();
    throw setupError(cause, url);
  }
}

function countConnections({ batched, reads, writes, jobs }: Pools): readonly PoolCounts[] {
  return Object.entries({ gathered: batched, reads, writes, jobs }).map(([name, pool]) => ({
    pool: name,
    inUse: pool.totalCount - pool.idleCount,
    waiting: pool.waitingCount,
    limit: pool.options.max,
  }));
}
