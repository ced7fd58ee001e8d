import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { PostgresRunner } from '../../src/storage/postgres/runner.ts';
import { openSqliteRunner } from '../../src/storage/sqlite/open.ts';
import { routesOf } from '../../src/storage/tables/services/routes.ts';
import { addService } from '../../src/storage/transactions/services/add-service.ts';
import { findAccessVersion } from '../../src/storage/units/access-version.ts';
import type { Runner } from '../../src/storage/units/runner.ts';
import type { UnitOfWork } from '../../src/storage/units/unit-of-work.ts';
import { newDatabase, startPostgres } from '../../test/postgres.ts';
import { Verdicts } from '../verdicts.ts';
import { hostOf, networkOf, TARGETS } from './addresses.ts';
import { measureDirectory } from './directory.ts';

/**
 * Measures routing an address among 100,000 declared patterns, and compares it with the smallest
 * read of the same store in the same round: one row of a table with one row. `--quick` takes fewer
 * rounds; `--only sqlite` needs no PostgreSQL. `directory` finds the provider of an address.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const ROUNDS = values.quick === true ? 5 : 25;
const SERVICES = 100;
const HOSTS = 600;
const NETWORKS = 400;
/** In one unit of work, as in a bulk create. */
const BATCH = 100;
const REPEATS = 20;
const verdicts = new Verdicts();

function serviceOf(number: number) {
  const of = (count: number, pattern: (number: number) => string) =>
    Array.from({ length: count }, (_, index) => pattern(number * count + index));
  const slug = `service-${number}`;
  return {
    slug,
    name: slug,
    confidenceScale: 100,
    hosts: of(HOSTS, hostOf),
    networks: of(NETWORKS, networkOf),
    expireAfterDays: 90,
    createdAt: new Date(),
  };
}

/** On SQLite the CPU time, which other programs on the machine do not change. */
type Stopwatch = () => number;
const cpuMicros: Stopwatch = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const wallMicros: Stopwatch = () => performance.now() * 1000;

async function microsOf(now: Stopwatch, work: () => Promise<unknown>): Promise<number> {
  const startedAt = now();
  for (let repeat = 0; repeat < REPEATS; repeat += 1) await work();
  return (now() - startedAt) / (REPEATS * BATCH);
}

/** Repeats the read within one transaction, as units of work do. */
function times(count: number, read: (index: number) => UnitOfWork<unknown>) {
  return function* (): UnitOfWork<void> {
    for (let index = 0; index < count; index += 1) yield* read(index);
  };
}

async function measure(
  name: string,
  runner: Runner,
  { now, limit, maxRatio }: { now: Stopwatch; limit?: number; maxRatio: number },
): Promise<void> {
  for (let number = 0; number < SERVICES; number += 1)
    await runner.write(() => addService(serviceOf(number), { actor: 'bench', at: new Date() }));
  for (const [kind, target] of Object.entries(TARGETS)) {
    const results: { anchor: number; one: number; batched: number }[] = [];
    // The first rounds compile the code.
    for (let round = -3; round < ROUNDS; round += 1) {
      const hosts = Array.from({ length: BATCH }, (_, index) =>
        target((round + 3) * 7919 + index * 31),
      );
      const result = {
        anchor: await microsOf(now, () => runner.read(times(BATCH, () => findAccessVersion()))),
        one: await microsOf(now, () =>
          runner.read(times(BATCH, (index) => routesOf([hosts[index] ?? '']))),
        ),
        batched: await microsOf(now, () => runner.read(() => routesOf(hosts))),
      };
      if (round >= 0) results.push(result);
    }
    // The least: other programs on the machine only add to it.
    const of = (key: 'anchor' | 'one' | 'batched') => Math.min(...results.map((one) => one[key]));
    const ratio = of('one') / of('anchor');
    console.log(
      `${name}, ${kind}: ${of('one').toFixed(1)} µs each, ${of('batched').toFixed(1)} µs in a batch of ${BATCH}, to ${of('anchor').toFixed(1)} µs of the smallest read`,
    );
    if (limit !== undefined)
      verdicts.add(`${name}: µs to route one ${kind}`, of('one'), limit, 'less');
    verdicts.add(`${name}: one ${kind} to the smallest read`, ratio, maxRatio, 'less');
  }
}

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-bench-routes-'));
  const runner = openSqliteRunner(join(folder, 'routes.db'));
  try {
    await measure('SQLite', runner, { now: cpuMicros, limit: 20, maxRatio: 12 });
  } finally {
    await runner.close();
    rmSync(folder, { recursive: true });
  }
}

async function onPostgres(): Promise<void> {
  const server = await startPostgres();
  const database = await newDatabase(server);
  const { connection, pools } = await openPostgres(database.url, 4);
  const runner = new PostgresRunner({ pools, connection, runJobStep: async () => undefined });
  try {
    await measure('PostgreSQL', runner, { now: wallMicros, maxRatio: 6 });
  } finally {
    await runner.close();
    await database.drop();
    await server.stop();
  }
}

console.log(`node ${process.version}, ${SERVICES * (HOSTS + NETWORKS)} patterns`);
const parts: Readonly<Record<string, () => Promise<void>>> = {
  sqlite: onSqlite,
  postgres: onPostgres,
  directory: async () => measureDirectory(verdicts, ROUNDS),
};
for (const [name, part] of Object.entries(parts))
  if (values.only === undefined || values.only.split(',').includes(name)) await part();
if (verdicts.missed > 0) process.exitCode = 1;
