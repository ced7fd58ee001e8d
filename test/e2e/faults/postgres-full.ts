import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../until.ts';
import type { PrepareDataFolder } from '../cluster/own-postgres.ts';
import {
  onOwnPostgres,
  type PostgresTrialPlan,
  type PostgresTrialResult,
} from './postgres-trial.ts';
import { SmallDisk } from './small-disk.ts';

/** An empty server takes some 60 MiB, and its log up to 64 more. */
const DISK_MIB = 400;
const FULL_AFTER = 20;
const FULL_WITHIN_MS = 120_000;
const SETTINGS = ['min_wal_size=32MB', 'max_wal_size=48MB', 'checkpoint_timeout=30s'];
/** Of files for the log, at the most. */
const SPARE_WAL_FILES = 8;
/** What is left when the ballast is in. */
const FREE_MIB = 2;

/**
 * The disk of PostgreSQL is full for a while. Where it cannot even write its log it ends, and
 * whoever looks after it starts it again once there is room; nobody does anything about the nodes.
 */
export async function postgresFull(plan: PostgresTrialPlan): Promise<PostgresTrialResult> {
  let disk: SmallDisk | undefined;
  const prepare: PrepareDataFolder = (server) => {
    const own = new SmallDisk(server.data, DISK_MIB, 0o700);
    server.setOwner(server.data);
    disk = own;
    return () => own.remove();
  };
  const options = { programs: plan.programs, settings: SETTINGS, prepare };
  return await onOwnPostgres(options, async ({ database, load, broken, run }) => {
    disk?.addBallast(disk.freeMib - FREE_MIB);
    const isFull = () => load.results.refusedByKind.create > FULL_AFTER;
    if (!(await eventually(async () => isFull(), Boolean, FULL_WITHIN_MS)))
      broken.push('nothing was refused');
    // So far rows found no room. The log has files in reserve; these are used up now.
    for (let turn = 0; turn < SPARE_WAL_FILES; turn += 1)
      await run('select pg_switch_wal()').catch(() => undefined);
    await pause(plan.forMs);
    disk?.removeBallast();
    if (!database.isUp) await database.start();
  });
}
