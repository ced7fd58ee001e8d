import { Cluster } from '../cluster/cluster.ts';
import { compare, unsettled } from '../cluster/compare.ts';
import { type Counts, countsOf, Load } from '../cluster/load.ts';
import { OwnPostgres, type PrepareDataFolder } from '../cluster/own-postgres.ts';
import { Readers } from './readers.ts';

const DATABASE = 'postgres';

export interface PostgresTrialPlan {
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
  /** How long the load continues during the fault. */
  readonly forMs: number;
}

export interface PostgresTrialResult extends Counts {
  readonly reads: number;
  readonly broken: readonly string[];
}

/** What a fault injection of PostgreSQL can use. */
export interface PostgresTrial {
  readonly database: OwnPostgres;
  readonly cluster: Cluster;
  readonly token: string;
  readonly load: Load;
  readonly readers: Readers;
  readonly broken: string[];
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
}

export interface DatabaseOptions {
  readonly programs: string;
  readonly settings?: readonly string[];
  readonly prepare?: PrepareDataFolder;
  /** Settings of all processes. */
  readonly clusterSettings?: Readonly<Record<string, string>>;
}

/** Returns a sentence for each promise that is broken when the load is over. */
export type Check = () => Promise<readonly string[]>;

/**
 * Injects a fault into the PostgreSQL server of two nodes and a worker under load. Then compares
 * the responses with the database, and calls the check that the fault returned.
 */
export async function onOwnPostgres(
  { programs, settings, prepare, clusterSettings }: DatabaseOptions,
  injectFault: (trial: PostgresTrial) => Promise<Check | undefined>,
): Promise<PostgresTrialResult> {
  const database = await OwnPostgres.create(programs, settings, prepare);
  const cluster = new Cluster(database.urlOf(DATABASE), clusterSettings);
  try {
    await cluster.start({ nodes: 2, workers: 1 });
    const admin = cluster.client(0);
    await admin.addService({ slug: 'ply' });
    const quota = { limit: 10_000_000, period: 'none' as const };
    const { token, account } = await admin.addAccount({
      name: 'alice',
      roles: ['researcher'],
      services: ['ply'],
      quota,
    });
    const load = new Load(cluster, token);
    const readers = new Readers(cluster, token, load);
    const broken: string[] = [];
    if (!(await load.makesProgress())) broken.push('nothing was acknowledged before the fault');
    const run = (sql: string) => database.run(DATABASE, sql);
    const check = await injectFault({ database, cluster, token, load, readers, broken, run });
    if (!(await load.makesProgress())) broken.push('nothing was acknowledged after the fault');
    const results = await load.stop();
    await readers.stop();
    broken.push(...results.broken, ...readers.broken, ...(await unsettled(admin, results)));
    broken.push(...(await compare(run, results, account.id)), ...((await check?.()) ?? []));
    return {
      ...countsOf(results),
      reads: readers.served,
      broken,
    };
  } finally {
    await cluster.close();
    await database.remove();
  }
}
