import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { compare, type Look, unsettled } from '../cluster/compare.ts';
import { type Counts, countsOf, Load } from '../cluster/load.ts';
import { OwnPostgres } from '../cluster/own-postgres.ts';
import { type Footprint, footprintOf, isBack } from './footprint.ts';
import { OneServer } from './one-server.ts';
import { Readers } from './readers.ts';
import { type Slowness, SlowWire } from './slow-wire.ts';

export interface SlowResult extends Counts {
  readonly reads: number;
  readonly slowestMs: number;
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
const BACK_WITHIN_MS = 90_000;
/**
 * Callers keep connections for the next call, and PostgreSQL is reached by some more under load
 * than without.
 */
const SPARE_SOCKETS = 40;
const WARM_UP_MS = 3000;

export interface SlowPostgresPlan {
  /** Where PostgreSQL's programs are. */
  readonly programs: string;
  readonly slowness: Slowness;
  readonly forMs: number;
}

/** PostgreSQL answers, but late, and now and then not for seconds. */
export async function slowPostgres(plan: SlowPostgresPlan): Promise<SlowResult> {
  const database = await OwnPostgres.create(plan.programs);
  const wire = new SlowWire(database.port);
  const installation = new TestInstallation();
  try {
    const url = database.urlOf(DATABASE, await wire.listen());
    const site = new OneServer(installation, { RAPSHEET_DATABASE_URL: url });
    const look: Look = (sql) => database.run(DATABASE, sql);
    return await whileSlow(site, look, async () => {
      wire.slowness = plan.slowness;
      await pause(plan.forMs);
      wire.slowness = undefined;
    });
  } finally {
    await installation.close();
    await wire.close();
    await database.remove();
  }
}

/** Another process keeps the file of SQLite locked, again and again: each time for so long. */
export async function slowSqlite(holdsMs: readonly number[]): Promise<SlowResult> {
  const installation = new TestInstallation();
  const site = new OneServer(installation);
  try {
    return await whileSlow(
      site,
      (sql) => site.look(sql),
      async () => {
        for (const ms of holdsMs) {
          await holdLock(site.database, ms);
          await pause(200);
        }
      },
    );
  } finally {
    await installation.close();
  }
}

async function holdLock(file: string, ms: number): Promise<void> {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec('begin immediate');
  await pause(ms);
  db.exec('rollback');
  db.close();
}

async function whileSlow(
  site: OneServer,
  look: Look,
  beSlow: () => Promise<void>,
): Promise<SlowResult> {
  await site.start();
  const { token, account } = await site.prepare();
  const load = new Load(site, token);
  const readers = new Readers(site, token, load);
  const broken: string[] = [];
  await pause(WARM_UP_MS);
  if (!(await load.goesOn())) broken.push('nothing was acknowledged in the beginning');
  const before = footprintOf(site.pid);
  await beSlow();
  if (!(await load.goesOn())) broken.push('nothing was acknowledged after it was over');
  const told = await load.stop();
  await readers.stop();
  broken.push(...told.broken, ...readers.broken, ...(await unsettled(site.client(), told)));
  broken.push(...(await compare(look, told, account.id)));
  if (told.cutOff > 0) broken.push(`${told.cutOff} lookups got no answer`);
  broken.push(...(await staysLarge(site, before)));
  return {
    ...countsOf(told),
    reads: readers.served,
    slowestMs: Math.round(told.slowestMs),
    broken,
  };
}

async function staysLarge({ pid }: OneServer, before: Footprint): Promise<string[]> {
  const now = await eventually(
    async () => footprintOf(pid),
    (footprint) => isBack(footprint, before, SPARE_SOCKETS),
    BACK_WITHIN_MS,
  );
  if (isBack(now, before, SPARE_SOCKETS)) return [];
  return [`it had ${JSON.stringify(before)} before, and has ${JSON.stringify(now)} now`];
}
