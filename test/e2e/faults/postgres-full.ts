import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../until.ts';
import type { PrepareDataFolder } from '../cluster/own-postgres.ts';
import { Receiver } from '../followers/receiver.ts';
import { Consumers } from './consumers.ts';
import {
  onOwnPostgres,
  type PostgresTrial,
  type PostgresTrialPlan,
  type PostgresTrialResult,
} from './postgres-trial.ts';
import { SmallDisk } from './small-disk.ts';

/** An empty server takes about 60 MiB, and its WAL up to 64 MiB more. */
const DISK_MIB = 400;
const FULL_AFTER = 20;
const FULL_WITHIN_MS = 120_000;
const SETTINGS = ['min_wal_size=32MB', 'max_wal_size=48MB', 'checkpoint_timeout=30s'];
/** The maximum number of recycled WAL files. */
const SPARE_WAL_FILES = 8;
/** The free space next to the ballast. */
const FREE_MIB = 2;
const RECEIVER_SETTINGS = {
  RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
  RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
};

/**
 * Fills the disk of PostgreSQL for a while, beside creates, lookups, uploads, whole exports and
 * webhooks. If PostgreSQL cannot write its WAL it exits, and is
 * restarted when there is space. The nodes must recover without a restart.
 */
export async function postgresFull(plan: PostgresTrialPlan): Promise<PostgresTrialResult> {
  let disk: SmallDisk | undefined;
  const prepare: PrepareDataFolder = (server) => {
    const smallDisk = new SmallDisk(server.data, DISK_MIB, 0o700);
    server.setOwner(server.data);
    disk = smallDisk;
    return () => smallDisk.remove();
  };
  const options = {
    programs: plan.programs,
    settings: SETTINGS,
    prepare,
    clusterSettings: RECEIVER_SETTINGS,
  };
  return await onOwnPostgres(options, async (trial) => {
    const { cluster, database, token, load, broken, run } = trial;
    const consumers = new Consumers(cluster, token);
    const receiver = new Receiver('ply');
    receiver.failOneIn = 0;
    await cluster.client(0, token).addWebhook('ply', { url: await receiver.listen() });
    disk?.addBallast(disk.freeMib - FREE_MIB);
    const isFull = () => load.results.refusedByKind.create > FULL_AFTER;
    if (!(await eventually(async () => isFull(), Boolean, FULL_WITHIN_MS)))
      broken.push('nothing was refused');
    // Tables have no space. This uses up the recycled WAL files too.
    for (let round = 0; round < SPARE_WAL_FILES; round += 1)
      await run('select pg_switch_wal()').catch(() => undefined);
    await pause(plan.forMs);
    disk?.removeBallast();
    if (!database.isUp) await database.start();
    return async () => {
      await consumers.stop();
      const missing = await undelivered(trial, receiver);
      receiver.close();
      return [...consumers.broken, ...missing];
    };
  });
}

/** Every recorded delivery must arrive. */
async function undelivered({ run }: PostgresTrial, receiver: Receiver): Promise<string[]> {
  const countOf = async (condition: string) => {
    const sql = `select count(*)::int as count from delivery where ${condition}`;
    return Number((await run(sql))[0]?.['count']);
  };
  const left = await eventually(
    () => countOf("state <> 'delivered'"),
    (count) => count === 0,
  );
  const recorded = await countOf('true');
  const arrived = new Set(receiver.sequences).size;
  return [
    ...receiver.broken,
    ...(left > 0 ? [`${left} deliveries did not succeed`] : []),
    ...(arrived < recorded ? [`${arrived} of ${recorded} deliveries arrived`] : []),
  ];
}
