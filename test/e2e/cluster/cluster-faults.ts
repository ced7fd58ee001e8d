import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../until.ts';
import { Cluster } from './cluster.ts';
import { compare, unsettled } from './compare.ts';
import { Load } from './load.ts';
import { OwnPostgres } from './own-postgres.ts';
import { SwitchingProxy } from './switching-proxy.ts';

/**
 * What is killed: a node, a worker or PostgreSQL, which is then restarted; or PostgreSQL for good,
 * which is then replaced by its replica.
 */
export type ClusterFault = 'node' | 'worker' | 'database' | 'failover';

export interface ClusterFaultPlan {
  readonly faults: readonly ClusterFault[];
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
}

export interface ClusterFaultResult {
  readonly reports: number;
  readonly lookups: number;
  readonly samples: number;
  readonly refused: number;
  readonly cutOff: number;
  /** Each entry describes a broken promise. */
  readonly broken: readonly string[];
}

/** The time limit for a replica to catch up. */
const REPLICATION_MS = 180_000;
const DATABASE = 'postgres';
const REPLICA = 'replica';

/**
 * Kills one component after another of two nodes and a worker under load. Then compares the
 * responses with the database.
 */
export async function runClusterFaults(plan: ClusterFaultPlan): Promise<ClusterFaultResult> {
  const target = await ClusterUnderTest.open(plan);
  try {
    const admin = target.cluster.client(0);
    await admin.addService({ slug: 'ply' });
    const quota = { limit: 1_000_000, period: 'none' as const };
    const { token, account } = await admin.addAccount({
      name: 'alice',
      roles: ['researcher'],
      quota,
    });
    const load = new Load(target.cluster, token);
    const broken: string[] = [];
    for (const fault of plan.faults) {
      await pause(500 + Math.random() * 1000);
      await target.inject(fault);
      if (!(await load.makesProgress())) broken.push(`nothing was acknowledged after: ${fault}`);
    }
    const results = await load.stop();
    broken.push(...results.broken, ...(await unsettled(target.cluster.client(0), results)));
    const query = (sql: string) => target.database.run(DATABASE, sql);
    broken.push(...(await compare(query, results, account.id)));
    return {
      reports: results.sent.length,
      lookups: results.served,
      samples: results.samples.size,
      refused: results.refused,
      cutOff: results.cutOff,
      broken,
    };
  } finally {
    await target.close();
  }
}

/** The cluster, its database and the proxy between them. */
class ClusterUnderTest {
  readonly cluster: Cluster;
  database: OwnPostgres;
  readonly #proxy: SwitchingProxy;
  #replica: OwnPostgres | undefined;

  private constructor(cluster: Cluster, database: OwnPostgres, proxy: SwitchingProxy) {
    this.cluster = cluster;
    this.database = database;
    this.#proxy = proxy;
  }

  static async open({ faults, programs }: ClusterFaultPlan): Promise<ClusterUnderTest> {
    const database = await OwnPostgres.create(programs);
    const proxy = new SwitchingProxy(database.port);
    const url = database.urlOf(DATABASE, await proxy.listen());
    const target = new ClusterUnderTest(new Cluster(url), database, proxy);
    if (faults.includes('failover')) await target.#addReplica();
    await target.cluster.start({ nodes: 2, workers: 1 });
    return target;
  }

  async inject(fault: ClusterFault): Promise<void> {
    const [node] = this.cluster.nodes;
    const [worker] = this.cluster.workers;
    if (fault === 'database') {
      await this.database.crash();
      await this.database.start();
    } else if (fault === 'failover') await this.#failOver();
    else {
      const victim = fault === 'node' ? node : worker;
      await victim?.kill();
      await victim?.restart();
    }
  }

  async close(): Promise<void> {
    await this.cluster.close();
    await this.#proxy.close();
    await this.database.remove();
    await this.#replica?.remove();
  }

  /** Replication is synchronous: a commit is acknowledged after both servers have flushed it. */
  async #addReplica(): Promise<void> {
    this.#replica = await this.database.replica(REPLICA);
    const settings = [
      `alter system set synchronous_standby_names = '${REPLICA}'`,
      'select pg_reload_conf()',
    ];
    for (const setting of settings) await this.database.run(DATABASE, setting);
    const { database } = this;
    await eventually(
      () => database.run(DATABASE, 'select sync_state from pg_stat_replication'),
      ([row]) => row?.['sync_state'] === 'sync',
      REPLICATION_MS,
    );
  }

  /** Removes the primary and promotes the replica, which then commits without a standby. */
  async #failOver(): Promise<void> {
    const replica = this.#replica;
    if (replica === undefined) return;
    await this.database.crash();
    await this.database.remove();
    replica.promote();
    this.#replica = undefined;
    this.database = replica;
    for (const setting of [
      "alter system set synchronous_standby_names = ''",
      'select pg_reload_conf()',
    ])
      await replica.run(DATABASE, setting);
    this.#proxy.switchTo(replica.port);
  }
}
