import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { answerHelp } from '../../scripts/parts.ts';
import { whyNoFakeTime } from '../faketime.ts';
import { TestInstallation } from '../installation.ts';
import { type ClusterFault, runClusterFaults } from './cluster/cluster-faults.ts';
import { createAtDistance, type DistancePlan } from './cluster/distance.ts';
import { idleCluster } from './cluster/idle.ts';
import { killSenders } from './cluster/killed-senders.ts';
import { loseNode } from './cluster/lost-nodes.ts';
import { canRun, replicaPrograms, serverPrograms } from './cluster/own-postgres.ts';
import { crashDuringCreates } from './crash.ts';
import { crashDuringUploads } from './crash-uploads.ts';
import { badClients } from './faults/bad-clients.ts';
import { bucketOutage } from './faults/bucket-outage.ts';
import { clockJumps } from './faults/clock-jumps.ts';
import { crashLoop, whyNoCrashes } from './faults/crash-loop.ts';
import { diskFull, type FullFolder } from './faults/disk-full.ts';
import { hasProc } from './faults/footprint.ts';
import { largeStore } from './faults/large-store.ts';
import { postgresFull } from './faults/postgres-full.ts';
import { postgresReadOnly } from './faults/postgres-read-only.ts';
import { readOnly, whyNoReadOnly } from './faults/read-only.ts';
import { slowPostgres, slowPostgresDisk, slowSqlite, slowSqliteDisk } from './faults/slow.ts';
import { whyNoSlowFlush } from './faults/slow-flush.ts';
import { whyNoSmallDisk } from './faults/small-disk.ts';
import { followAtRandom } from './followers/model.ts';
import { countLookups } from './lookups.ts';
import { startServer } from './server-setup.ts';
import { moveUnderServer } from './upgrades/moved-store.ts';
import { nodeStopsServing, olderBesideStore } from './upgrades/node-beside-store.ts';
import { whyNoOlder } from './upgrades/programs.ts';

/**
 * Injects faults into real servers on loopback and compares the responses with the stored data.
 * Prints counts; exits with 1 at the first broken promise.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    rounds: { type: 'string', default: '3' },
    short: { type: 'boolean', default: false },
    untested: { type: 'boolean', default: false },
  },
});
const rounds = Math.min(Math.max(Number(values.rounds), 1), 100);

async function killUnderCreates(): Promise<readonly string[]> {
  const { installation, server, admin } = await startServer();
  await admin.addService({ slug: 'ply' });
  const { token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] });
  await server.end('SIGTERM');
  const plan = { creates: 5000, kills: 8, connections: 64 };
  const { acknowledged, cutOff, kills, broken } = await crashDuringCreates(
    installation,
    token,
    'ply',
    plan,
  );
  console.log(
    `  killed ${kills} times: ${acknowledged} acknowledged, ${cutOff} cut off and retried`,
  );
  await installation.close();
  return broken;
}

async function killUnderUploads(): Promise<readonly string[]> {
  const { installation, server, admin } = await startServer();
  const { token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] });
  await server.end('SIGTERM');
  const plan = { uploads: 200, kills: 3 };
  const { acknowledged, cutOff, broken } = await crashDuringUploads(installation, token, plan);
  console.log(
    `  killed ${plan.kills} times: ${acknowledged} samples acknowledged and analysed, ${cutOff} cut off`,
  );
  await installation.close();
  return broken;
}

async function lastUnitsOverProcesses(): Promise<readonly string[]> {
  const { installation, server, admin } = await startServer();
  const others = [await installation.server(), await installation.server()];
  const urls = [server, ...others].map(({ url }) => url);
  const broken: string[] = [];
  for (const limit of [1, 50, 100]) {
    const quota = { limit, period: 'none' as const };
    const { token } = await admin.addAccount({ name: `last ${limit}`, quota });
    const statuses = await countLookups(urls, token, 500);
    console.log(
      `  500 lookups of the last ${limit} units over three processes: ${JSON.stringify(statuses)}`,
    );
    if (statuses[404] !== limit || statuses[429] !== 500 - limit) {
      broken.push(`${limit} units served ${statuses[404]} calls`);
    }
  }
  await installation.close();
  return broken;
}

async function followersWithKills(): Promise<readonly string[]> {
  const installation = new TestInstallation();
  const seed = randomInt(2 ** 31);
  const plan = { seed, writers: 6, writesEach: 100, kills: 3 };
  const { broken, changes, reports, interruptions } = await followAtRandom(installation, plan);
  console.log(
    `  ${changes} changes, ${reports} reports remain, ${interruptions} interruptions of readers (seed ${seed})`,
  );
  await installation.close();
  return broken;
}

const CLUSTER_FAULTS = 8;

/** Kills nodes, workers and PostgreSQL in random order. */
async function clusterAtRandom(): Promise<readonly string[]> {
  const kinds = ['node', 'worker', 'database'] as const;
  const faults = Array.from(
    { length: CLUSTER_FAULTS },
    () => kinds[randomInt(kinds.length)] ?? 'node',
  );
  return await injectFaults(faults, serverPrograms);
}

async function replicaTakesOver(): Promise<readonly string[]> {
  return await injectFaults(['node', 'failover', 'worker'], replicaPrograms);
}

async function injectFaults(
  faults: readonly ClusterFault[],
  programs?: string,
): Promise<readonly string[]> {
  if (programs === undefined || !canRun) return skipped(NO_POSTGRES);
  const { broken, ...counts } = await runClusterFaults({ faults, programs });
  console.log(`  killed ${faults.join(', ')}: ${JSON.stringify(counts)}`);
  return broken;
}

const NO_POSTGRES = 'needs the programs of PostgreSQL, and a user other than root to run them';
const NO_PROC = 'needs /proc to measure processes';

function skipped(reason: string): readonly string[] {
  console.log(`  skipped: ${reason}`);
  return [];
}

/** The broken promises of a trial; results also have counts. */
interface Outcome {
  readonly broken: readonly string[];
}

/** Runs a trial and prints its counts, or prints why it is skipped. */
async function runTrial(
  skipReason: string | false,
  trial: () => Promise<Outcome>,
): Promise<readonly string[]> {
  if (skipReason !== false) return skipped(skipReason);
  const { broken, ...counts } = await trial();
  console.log(`  ${JSON.stringify(counts)}`);
  return broken;
}

const noPostgres = (serverPrograms === undefined || !canRun) && NO_POSTGRES;
const programs = serverPrograms ?? '';

function fullDisk(folder: FullFolder): Promise<readonly string[]> {
  return runTrial(whyNoSmallDisk(), () => diskFull({ folder, fullMs: 10_000 }));
}

/** Longer than a node waits for the outcome of a commit. */
const FULL_MS = 10_000;
const SLOW = { minMs: 50, maxMs: 300, stallShare: 0.02, stallMs: 4000 };

const JUMPS = ['+366d', '-3d', '+20h'];
const { short } = values;
const SLOW_DISK = { delayMs: 300, forMs: short ? 5000 : 60_000 };
/** Each of three kinds of outage, besides the restarts. */
const BUCKET_AWAY_MS = short ? 1000 : 60_000;
const LARGE_STORE = { reports: short ? 20_000 : 300_000, kills: 3 };

/** Loses a node that locks the row of a feed, and one that locks that of an account. */
async function lostNode(loss: 'frozen' | 'cut off'): Promise<Outcome> {
  const feed = await loseNode({ programs, loss, row: 'feed' });
  const account = await loseNode({ programs, loss, row: 'account' });
  return { ...{ feed, account }, broken: [...feed.broken, ...account.broken] };
}

/** How long nodes are called before and after the store is upgraded or moved. */
const UPGRADED_MS = short ? 2000 : 5000;

/** Three nodes share a feed. */
function atDistance(plan: Omit<DistancePlan, 'programs' | 'createsPerSecond' | 'forMs'>) {
  return createAtDistance({
    ...plan,
    programs,
    createsPerSecond: 60,
    forMs: short ? 8000 : 20_000,
  });
}

const trials = {
  'kill -9 under creates': killUnderCreates,
  'kill -9 under uploads': killUnderUploads,
  'the last quota units': lastUnitsOverProcesses,
  'readers of every kind': followersWithKills,
  'a cluster on PostgreSQL': clusterAtRandom,
  'a replica takes over': replicaTakesOver,
  'a frozen node': () => runTrial(noPostgres, () => lostNode('frozen')),
  'a node disconnected from PostgreSQL': () => runTrial(noPostgres, () => lostNode('cut off')),
  'an older node beside an upgraded store': () =>
    runTrial(noPostgres || whyNoOlder(), () => olderBesideStore({ programs, forMs: UPGRADED_MS })),
  'a node that the store no longer admits': () =>
    runTrial(noPostgres, () => nodeStopsServing({ programs, forMs: UPGRADED_MS })),
  'a move from SQLite under a server': () =>
    runTrial(noPostgres, () => moveUnderServer({ programs, from: 'sqlite', forMs: UPGRADED_MS })),
  'a move from PostgreSQL under a server': () =>
    runTrial(noPostgres, () => moveUnderServer({ programs, from: 'postgres', forMs: UPGRADED_MS })),
  'creates in one feed, 50 ms from PostgreSQL': () =>
    runTrial(noPostgres, () => atDistance({ roundTripMs: 50, maxP99Ms: 2000 })),
  'creates in one feed, 200 ms from PostgreSQL': () =>
    runTrial(noPostgres, () => atDistance({ roundTripMs: 200, maxP99Ms: 8000 })),
  'an idle cluster': () =>
    runTrial(noPostgres, () =>
      idleCluster({ programs, forMs: short ? 15_000 : 60_000, maxStatementsPerSecond: 5 }),
    ),
  'kill -9 under webhooks': () =>
    runTrial(noPostgres, () => killSenders({ programs, kills: 6, endpoints: 4 })),
  'SQLite with a full disk': () => fullDisk('data'),
  'samples with a full disk': () => fullDisk('samples'),
  'PostgreSQL with a full disk': () =>
    runTrial(noPostgres || whyNoSmallDisk(), () => postgresFull({ programs, forMs: FULL_MS })),
  'SQLite read-only': () => runTrial(whyNoReadOnly(), () => readOnly({ forMs: 10_000 })),
  'PostgreSQL read-only': () =>
    runTrial(noPostgres, () => postgresReadOnly({ programs, forMs: 10_000 })),
  'SQLite slow': () => runTrial(!hasProc && NO_PROC, () => slowSqlite([3000, 3000, 12_000, 3000])),
  'PostgreSQL slow': () =>
    runTrial(noPostgres || (!hasProc && NO_PROC), () =>
      slowPostgres({ programs, slowness: SLOW, forMs: short ? 15_000 : 60_000 }),
    ),
  'SQLite on a slow disk': () => runTrial(whyNoSlowFlush(), () => slowSqliteDisk(SLOW_DISK)),
  'PostgreSQL on a slow disk': () =>
    runTrial(noPostgres || whyNoSlowFlush(), () => slowPostgresDisk(programs, SLOW_DISK)),
  'a clock that jumps, on SQLite': () =>
    runTrial(whyNoFakeTime, () => clockJumps({ offsets: JUMPS, forMs: 5000 })),
  'a clock that jumps, on PostgreSQL': () =>
    runTrial(noPostgres || whyNoFakeTime, () =>
      clockJumps({ offsets: JUMPS.slice(0, 2), forMs: 5000, programs }),
    ),
  'a bucket that is away': () =>
    runTrial(noPostgres, () => bucketOutage({ programs, forMs: BUCKET_AWAY_MS })),
  'a large store on SQLite': () => runTrial(!hasProc && NO_PROC, () => largeStore(LARGE_STORE)),
  'a large store on PostgreSQL': () =>
    runTrial(noPostgres || (!hasProc && NO_PROC), () => largeStore({ ...LARGE_STORE, programs })),
  'samples that crash the analysis': () =>
    runTrial(whyNoCrashes, () => crashLoop({ deadly: 8, harmless: 40 })),
  'slow and stalled clients': () =>
    runTrial(!hasProc && NO_PROC, () => badClients({ clients: 200, forMs: 20_000 })),
};

/** The trials that a test runs in a shorter form. */
const TESTED: readonly (keyof typeof trials)[] = [
  // crash.test.ts, service.test.ts, followers.test.ts
  'kill -9 under creates',
  'the last quota units',
  'readers of every kind',
  // cluster-faults.long-test.ts
  'a cluster on PostgreSQL',
  'a replica takes over',
  // lost-nodes.long-test.ts
  'a frozen node',
  'a node disconnected from PostgreSQL',
  'kill -9 under webhooks',
  // upgrades.long-test.ts
  'an older node beside an upgraded store',
  'a node that the store no longer admits',
  'a move from SQLite under a server',
  'a move from PostgreSQL under a server',
  // distance.long-test.ts
  'creates in one feed, 50 ms from PostgreSQL',
  'creates in one feed, 200 ms from PostgreSQL',
  'an idle cluster',
  // faults.long-test.ts
  'SQLite with a full disk',
  'samples with a full disk',
  'SQLite read-only',
  'PostgreSQL read-only',
  'PostgreSQL slow',
  'samples that crash the analysis',
  'slow and stalled clients',
];

answerHelp(`npm run torture -- [word…] [options]

  word…       only the trials whose name contains one of the words
  --rounds 3  rounds of all trials
  --short     shortens the longest trials
  --untested  omits the trials that a test runs in a shorter form

${Object.keys(trials)
  .map((name) => `  ${name}`)
  .join('\n')}`);

function isSelected([name]: readonly [string, unknown]): boolean {
  if (values.untested && (TESTED as readonly string[]).includes(name)) return false;
  return positionals.length === 0 || positionals.some((word) => name.includes(word));
}

for (let round = 1; round <= rounds; round += 1) {
  for (const [name, trial] of Object.entries(trials).filter(isSelected)) {
    console.log(`round ${round} of ${rounds}: ${name}`);
    const startedAt = performance.now();
    const broken = await trial();
    console.log(`  ${Math.round((performance.now() - startedAt) / 1000)} s`);
    if (broken.length === 0) continue;
    console.error(`BROKEN: ${broken.join('; ')}`);
    process.exit(1);
  }
}
console.log('every promise held');
