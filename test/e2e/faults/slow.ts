import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { compare, type Query, unsettled } from '../cluster/compare.ts';
import { type Counts, countsOf, Load } from '../cluster/load.ts';
import { OwnPostgres } from '../cluster/own-postgres.ts';
import { type Footprint, footprintOf, hasRecovered } from './footprint.ts';
import { Readers } from './readers.ts';
import { SingleServer } from './single-server.ts';
import { type SlowFlushes, slowFlushes } from './slow-flush.ts';
import { type Slowness, SlowProxy } from './slow-proxy.ts';

export interface SlowResult extends Counts {
  readonly reads: number;
  readonly slowestMs: number;
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
const RECOVERY_MS = 90_000;
/** Callers keep idle connections, and the pools of PostgreSQL grow under load. */
const SPARE_SOCKETS = 40;
const WARM_UP_MS = 3000;

export interface SlowPostgresPlan {
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
  readonly slowness: Slowness;
  readonly forMs: number;
}

/** Delays the traffic of PostgreSQL, sometimes by seconds. */
export async function slowPostgres(plan: SlowPostgresPlan): Promise<SlowResult> {
  const database = await OwnPostgres.create(plan.programs);
  const proxy = new SlowProxy(database.port);
  const installation = new TestInstallation();
  try {
    const url = database.urlOf(DATABASE, await proxy.listen());
    const server = new SingleServer(installation, { RAPSHEET_DATABASE_URL: url });
    const query: Query = (sql) => database.run(DATABASE, sql);
    return await runWhileSlow(server, query, async () => {
      proxy.slowness = plan.slowness;
      await pause(plan.forMs);
      proxy.slowness = undefined;
    });
  } finally {
    await installation.close();
    await proxy.close();
    await database.remove();
  }
}

/** Locks the SQLite database from another connection, once for each of the durations. */
export async function slowSqlite(holdsMs: readonly number[]): Promise<SlowResult> {
  const installation = new TestInstallation();
  const server = new SingleServer(installation);
  try {
    return await runWhileSlow(
      server,
      (sql) => server.query(sql),
      async () => {
        for (const ms of holdsMs) {
          await holdLock(server.database, ms);
          await pause(200);
        }
      },
    );
  } finally {
    await installation.close();
  }
}

/** Delays every flush of SQLite. */
export async function slowSqliteDisk(flushes: SlowFlushes): Promise<SlowResult> {
  const installation = new TestInstallation();
  const server = new SingleServer(installation);
  try {
    const query: Query = (sql) => server.query(sql);
    return await runWhileSlow(server, query, () => slowFlushes(server.pid, flushes));
  } finally {
    await installation.close();
  }
}

/** Delays every flush of PostgreSQL. */
export async function slowPostgresDisk(
  programs: string,
  flushes: SlowFlushes,
): Promise<SlowResult> {
  const database = await OwnPostgres.create(programs);
  const installation = new TestInstallation();
  try {
    const settings = { RAPSHEET_DATABASE_URL: database.urlOf(DATABASE) };
    const server = new SingleServer(installation, settings);
    const query: Query = (sql) => database.run(DATABASE, sql);
    return await runWhileSlow(server, query, () => slowFlushes(database.pid, flushes));
  } finally {
    await installation.close();
    await database.remove();
  }
}

async function holdLock(file: string, ms: number): Promise<void> {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec('begin immediate');
  await pause(ms);
  db.exec('rollback');
  db.close();
}

async function runWhileSlow(
  server: SingleServer,
  query: Query,
  slowDown: () => Promise<void>,
): Promise<SlowResult> {
  await server.start();
  const { token, account } = await server.prepare();
  const load = new Load(server, token);
  const readers = new Readers(server, token, load);
  const broken: string[] = [];
  await pause(WARM_UP_MS);
  if (!(await load.makesProgress())) broken.push('nothing was acknowledged before the fault');
  const before = footprintOf(server.pid);
  await slowDown();
  if (!(await load.makesProgress())) broken.push('nothing was acknowledged after the fault');
  const results = await load.stop();
  await readers.stop();
  broken.push(...results.broken, ...readers.broken, ...(await unsettled(server.client(), results)));
  broken.push(...(await compare(query, results, account.id)));
  if (results.cutOff > 0) broken.push(`${results.cutOff} lookups got no response`);
  broken.push(...(await unreleased(server, before)));
  return {
    ...countsOf(results),
    reads: readers.served,
    slowestMs: Math.round(results.slowestMs),
    broken,
  };
}

async function unreleased({ pid }: SingleServer, before: Footprint): Promise<string[]> {
  const now = await eventually(
    async () => footprintOf(pid),
    (footprint) => hasRecovered(footprint, before, SPARE_SOCKETS),
    RECOVERY_MS,
  );
  if (hasRecovered(now, before, SPARE_SOCKETS)) return [];
  return [`the footprint was ${JSON.stringify(before)} and is ${JSON.stringify(now)}`];
}
