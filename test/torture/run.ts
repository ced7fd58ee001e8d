import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Blow, clusterUnderFire } from '../e2e/cluster/fire.ts';
import { canRun, replicaPrograms, serverPrograms } from '../e2e/cluster/own-postgres.ts';
import { crashDuringCreates } from '../e2e/crash.ts';
import { crashDuringUploads } from '../e2e/crash-uploads.ts';
import { followAtRandom } from '../e2e/followers/model.ts';
import { countLookups } from '../e2e/lookups.ts';
import { startWorld } from '../e2e/world.ts';
import { Workplace } from '../workplace.ts';

/**
 * Breaks the service on purpose, on loopback and within bounds, and compares what it promised with what is
 * there. Prints counts; ends with 1 on the first broken promise. `--rounds` repeats it.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Math.min(Math.max(Number(values.rounds), 1), 100);

async function killUnderCreates(): Promise<readonly string[]> {
  const { workplace, server, admin } = await startWorld();
  await admin.addService({ slug: 'ply' });
  const { token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] });
  await server.end('SIGTERM');
  const plan = { creates: 5000, kills: 8, connections: 64 };
  const { acknowledged, cutOff, kills, broken } = await crashDuringCreates(
    workplace,
    token,
    'ply',
    plan,
  );
  console.log(
    `  killed ${kills} times: ${acknowledged} acknowledged, ${cutOff} cut off and sent again`,
  );
  await workplace.close();
  return broken;
}

async function killUnderUploads(): Promise<readonly string[]> {
  const { workplace, server, admin } = await startWorld();
  const { token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] });
  await server.end('SIGTERM');
  const plan = { uploads: 200, kills: 3 };
  const { acknowledged, cutOff, broken } = await crashDuringUploads(workplace, token, plan);
  console.log(
    `  killed ${plan.kills} times: ${acknowledged} samples acknowledged and analysed, ${cutOff} cut off`,
  );
  await workplace.close();
  return broken;
}

async function lastUnitsOverProcesses(): Promise<readonly string[]> {
  const { workplace, server, admin } = await startWorld();
  const others = [await workplace.server(), await workplace.server()];
  const urls = [server, ...others].map(({ url }) => url);
  const broken: string[] = [];
  for (const limit of [1, 50, 100]) {
    const quota = { limit, period: 'none' as const };
    const { token } = await admin.addAccount({ name: `last ${limit}`, quota });
    const statuses = await countLookups(urls, token, 500);
    console.log(
      `  500 lookups on the last ${limit} units over three processes: ${JSON.stringify(statuses)}`,
    );
    if (statuses[404] !== limit || statuses[429] !== 500 - limit) {
      broken.push(`${limit} units served ${statuses[404]} calls`);
    }
  }
  await workplace.close();
  return broken;
}

async function followersUnderFire(): Promise<readonly string[]> {
  const workplace = new Workplace();
  const seed = randomInt(2 ** 31);
  const plan = { seed, writers: 6, actsOfEach: 100, kills: 3 };
  const { broken, changes, reports, interruptions } = await followAtRandom(workplace, plan);
  console.log(
    `  ${changes} changes, ${reports} reports left, readers broken off ${interruptions} times (seed ${seed})`,
  );
  await workplace.close();
  return broken;
}

const CLUSTER_BLOWS = 8;

/** Anything may be hit at any time. */
async function clusterAtRandom(): Promise<readonly string[]> {
  const kinds = ['node', 'worker', 'database'] as const;
  const blows = Array.from(
    { length: CLUSTER_BLOWS },
    () => kinds[randomInt(kinds.length)] ?? 'node',
  );
  return await underFire(blows, serverPrograms);
}

async function replicaTakesOver(): Promise<readonly string[]> {
  return await underFire(['node', 'failover', 'worker'], replicaPrograms);
}

async function underFire(blows: readonly Blow[], programs?: string): Promise<readonly string[]> {
  if (programs === undefined || !canRun) {
    console.log('  skipped: the programs of PostgreSQL, or a user who may run them, are not there');
    return [];
  }
  const { broken, ...counts } = await clusterUnderFire({ blows, programs });
  console.log(`  killed ${blows.join(', ')}: ${JSON.stringify(counts)}`);
  return broken;
}

const trials = {
  'kill -9 under creates': killUnderCreates,
  'kill -9 under uploads': killUnderUploads,
  'the last units': lastUnitsOverProcesses,
  'followers of every kind': followersUnderFire,
  'a cluster on PostgreSQL': clusterAtRandom,
  'a replica takes over': replicaTakesOver,
};

for (let round = 1; round <= rounds; round += 1) {
  for (const [name, trial] of Object.entries(trials)) {
    console.log(`round ${round} of ${rounds}: ${name}`);
    const broken = await trial();
    if (broken.length === 0) continue;
    console.error(`BROKEN: ${broken.join('; ')}`);
    process.exit(1);
  }
}
console.log('every promise held');
