import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../until.ts';
import { Cluster } from './cluster.ts';
import { compare, unsettled } from './compare.ts';
import { Load } from './load.ts';
import { OwnPostgres } from './own-postgres.ts';
import { Switch } from './switch.ts';

/**
 * What is killed: a node, a worker, PostgreSQL itself, or PostgreSQL for good while its replica
 * takes over.
 */
export type Blow = 'node' | 'worker' | 'database' | 'failover';

export interface FirePlan {
  readonly blows: readonly Blow[];
  /** Where PostgreSQL's programs are. */
  readonly programs: string;
}

export interface FireResult {
  readonly reports: number;
  readonly lookups: number;
  readonly samples: number;
  readonly refused: number;
  readonly cutOff: number;
  /** Each one a broken promise. */
  readonly broken: readonly string[];
}

/** Until a replica has caught up. */
const FOLLOWED_MS = 180_000;
const DATABASE = 'postgres';
const FOLLOWER = 'follower';

/**
 * Two nodes and a worker under load while one thing after another is killed; then what callers were
 * told is compared with what is there.
 */
export async function clusterUnderFire(plan: FirePlan): Promise<FireResult> {
  const site = await Site.open(plan);
  try {
    const admin = site.cluster.client(0);
    await admin.addService({ slug: 'ply' });
    const quota = { limit: 1_000_000, period: 'none' as const };
    const { token, account } = await admin.addAccount({
      name: 'alice',
      roles: ['researcher'],
      quota,
    });
    const load = new Load(site.cluster, token);
    const broken: string[] = [];
    for (const blow of plan.blows) {
      await pause(500 + Math.random() * 1000);
      await site.strike(blow);
      if (!(await load.goesOn())) broken.push(`nothing was acknowledged after: ${blow}`);
    }
    const told = await load.stop();
    broken.push(...told.broken, ...(await unsettled(site.cluster.client(0), told)));
    const look = (sql: string) => site.database.run(DATABASE, sql);
    broken.push(...(await compare(look, told, account.id)));
    return {
      reports: told.sent.length,
      lookups: told.served,
      samples: told.samples.size,
      refused: told.refused,
      cutOff: told.cutOff,
      broken,
    };
  } finally {
    await site.close();
  }
}

/** All that runs, and what may be done to it. */
class Site {
  readonly cluster: Cluster;
  database: OwnPostgres;
  readonly #switch: Switch;
  #follower: OwnPostgres | undefined;

  private constructor(cluster: Cluster, database: OwnPostgres, addressSwitch: Switch) {
    this.cluster = cluster;
    this.database = database;
    this.#switch = addressSwitch;
  }

  static async open({ blows, programs }: FirePlan): Promise<Site> {
    const database = await OwnPostgres.create(programs);
    const addressSwitch = new Switch(database.port);
    const url = database.urlOf(DATABASE, await addressSwitch.listen());
    const site = new Site(new Cluster(url), database, addressSwitch);
    if (blows.includes('failover')) await site.#follow();
    await site.cluster.start({ nodes: 2, workers: 1 });
    return site;
  }

  async strike(blow: Blow): Promise<void> {
    const [node] = this.cluster.nodes;
    const [worker] = this.cluster.workers;
    if (blow === 'database') {
      await this.database.crash();
      await this.database.start();
    } else if (blow === 'failover') await this.#failOver();
    else {
      const member = blow === 'node' ? node : worker;
      await member?.kill();
      await member?.startAgain();
    }
  }

  async close(): Promise<void> {
    await this.cluster.close();
    await this.#switch.close();
    await this.database.remove();
    await this.#follower?.remove();
  }

  /** From now on nothing is acknowledged that is not flushed on both. */
  async #follow(): Promise<void> {
    this.#follower = await this.database.replica(FOLLOWER);
    const settings = [
      `alter system set synchronous_standby_names = '${FOLLOWER}'`,
      'select pg_reload_conf()',
    ];
    for (const setting of settings) await this.database.run(DATABASE, setting);
    const { database } = this;
    await eventually(
      () => database.run(DATABASE, 'select sync_state from pg_stat_replication'),
      ([row]) => row?.['sync_state'] === 'sync',
      FOLLOWED_MS,
    );
  }

  /** The first one is gone for good; the other stands alone then, and waits for nobody. */
  async #failOver(): Promise<void> {
    const follower = this.#follower;
    if (follower === undefined) return;
    await this.database.crash();
    await this.database.remove();
    follower.promote();
    this.#follower = undefined;
    this.database = follower;
    for (const setting of [
      "alter system set synchronous_standby_names = ''",
      'select pg_reload_conf()',
    ])
      await follower.run(DATABASE, setting);
    this.#switch.turnTo(follower.port);
  }
}
