import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serializers } from '../../src/http/responses/present.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { PostgresRunner } from '../../src/storage/postgres/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { createReports } from '../../src/storage/transactions/reports/create-reports.ts';
import { newDatabase, startPostgres } from '../../test/postgres.ts';
import { capture, compare } from '../compare.ts';
import { CpuShare, childrenOf } from '../cpu-share.ts';
import { fillPostgres, reportedAt, reportOf } from '../fill.ts';
import { PINNED, type RunningServer, startBare, startRapsheet, writeJson } from '../processes.ts';
import { creates, fetches, lookups, REQUESTS } from '../requests.ts';
import { measureRounds, type Result } from '../rounds.ts';
import { median, Verdicts } from '../verdicts.ts';
import { postgresCpu, ServerWithDatabase } from './cpu.ts';

/**
 * Measures the server on PostgreSQL. The CPU time that the node, PostgreSQL and the load generator
 * need for a request gives the rate that two cores allow if nothing else uses them; unlike the
 * measured rate, it hardly depends on other work. The others are ratios in one run: to a bare
 * `node:http` server on the same core, batched creates to one transaction each, and two processes
 * to one. PostgreSQL runs on any core and flushes every commit to the disk.
 */
const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, rows: { type: 'string' } },
});
const quick = values.quick === true;
const ROWS = Number(values.rows ?? (quick ? 100_000 : 200_000));
const plan = quick
  ? { connections: 64, warmUpSeconds: 8, seconds: 2, rounds: 3 }
  : { connections: 64, warmUpSeconds: 16, seconds: 4, rounds: 5 };

const work = mkdtempSync(join(tmpdir(), 'rapsheet-bench-work-'));
const verdicts = new Verdicts();
const postgres = await startPostgres(['shared_buffers=512MB', 'synchronous_commit=on']);
const database = await newDatabase(postgres);

async function openStore() {
  const { connection, pools } = await openPostgres(database.url, 10);
  return new PostgresRunner({ pools, connection, runJobStep: () => Promise.resolve() });
}

async function fill(): Promise<void> {
  const runner = await openStore();
  await fillPostgres(runner, ROWS, (done) => {
    process.stderr.write(`\rfilling PostgreSQL: ${done} of ${ROWS} samples and reports `);
  });
  process.stderr.write('\n');
  await runner.close();
  await database.run('vacuum analyze');
}

function node(
  settings: Readonly<Record<string, string>> = {},
  unpinned = false,
): Promise<RunningServer> {
  const folder = mkdtempSync(join(work, 'node-'));
  const defaults = { RAPSHEET_DATABASE_URL: database.url, RAPSHEET_ANALYSIS_WORKERS: '0' };
  return startRapsheet(folder, { unpinned, settings: { ...defaults, ...settings } });
}

interface LoadPart {
  readonly name: string;
  /** Rounds of writes send different rows. */
  requests(round: number): readonly string[];
  /** The target of the rate that two cores allow. */
  readonly perSecond?: number;
  /** The target of the measured rate to the bare server's. */
  readonly toBare: number;
}

const CORES = 2;

function judgeCpu({ name, perSecond }: LoadPart, result: Result, rapsheet: ServerWithDatabase) {
  const { cpuMicros, loadMicros } = result;
  const shares = rapsheet.shares(plan.rounds);
  const shown = [...shares].filter(([, share]) => share >= 0.001);
  const ofEach = shown.map(([kind, share]) => `${kind} ${(share * cpuMicros).toFixed(1)}`);
  const node = (shares.get('node') ?? 0) * cpuMicros;
  console.log(
    `${name}: ${(cpuMicros + loadMicros).toFixed(1)} µs of CPU each: node ${node.toFixed(1)}, PostgreSQL ${(cpuMicros - node).toFixed(1)}, load ${loadMicros.toFixed(1)} (${ofEach.join(', ')})`,
  );
  if (perSecond === undefined) return;
  const rate = (CORES * 1e6) / (cpuMicros + loadMicros);
  const figure = `${name} on PostgreSQL: a second on two cores, by CPU time`;
  verdicts.add(figure, Math.round(rate), perSecond, 'more');
}

async function againstBare(part: LoadPart): Promise<void> {
  const { name, toBare } = part;
  const rapsheet = new ServerWithDatabase(await node(), await postgresCpu(database));
  const answer = await capture(rapsheet.port, part.requests(0)[0] ?? '');
  const bare = await startBare(writeJson(work, 'answer.json', answer));
  let round = 0;
  const requests = () => {
    round += 1;
    return writeJson(work, 'requests.json', part.requests(round));
  };
  const sides = [
    { name: 'bare node:http', server: bare, requests },
    { name: 'rapsheet', server: rapsheet, requests },
  ];
  const [first, second] = await measureRounds(sides, plan);
  await Promise.all([bare.stop(), rapsheet.stop()]);
  if (first === undefined || second === undefined) return;
  for (const [side, { rate, p99, cpuMicros }] of [
    ['bare node:http', first],
    ['rapsheet', second],
  ] as const)
    console.log(
      `${name}, ${side}: ${Math.round(rate)} a second, p99 ${p99.toFixed(1)} ms, ${cpuMicros.toFixed(1)} µs of CPU each`,
    );
  judgeCpu(part, second, rapsheet);
  const of = `${name} on PostgreSQL:`;
  verdicts.add(`${of} rate to the bare server's`, second.rate / first.rate, toBare, 'more');
  verdicts.add(`${of} p99 to the bare server's`, second.p99 / first.p99, 4, 'less');
}

/** Returns the creates per second to one feed with 64 concurrent callers, without HTTP. */
async function createRate(create: (number: number) => Promise<unknown>, from: number) {
  const seconds = quick ? 1 : 3;
  const endsAt = performance.now() + seconds * 1000;
  let done = 0;
  const caller = async (_: unknown, index: number) => {
    for (let round = 0; performance.now() < endsAt; round += 1) {
      await create(from + round * 64 + index);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, caller));
  return done / seconds;
}

async function batchedCreates(): Promise<void> {
  const runner = await openStore();
  const store = createStore(runner, serializers);
  // Each report has its own C2, and all have one time: the measurement covers the create and not
  // its effect on earlier reports.
  const make = (number: number) => ({
    ...reportOf(ROWS + number, 2 ** 40),
    c2: { host: `host${number}.bench.example`, port: 443 },
    reportedAt: reportedAt(ROWS),
  });
  const ratios: number[] = [];
  let from = 1;
  for (let round = 0; round < plan.rounds; round += 1) {
    const batched = await createRate((number) => store.reports.create(make(number)), from);
    from += 1_000_000;
    const single = await createRate(
      (number) => runner.write(() => createReports([make(number)], serializers)),
      from,
    );
    from += 1_000_000;
    console.log(
      `creates at the store: ${Math.round(batched)} a second batched, ${Math.round(single)} with a transaction each`,
    );
    ratios.push(batched / single);
  }
  await store.close();
  verdicts.add('creates to one feed, batched to one transaction each', median(ratios), 10, 'more');
}

/**
 * The fraction of a core for each process. At this share two processes, the load and PostgreSQL do
 * not compete on two cores.
 */
const SHARE = 0.3;

/**
 * Limits each process that serves requests: the workers of the first process, or that process if it
 * has none.
 */
function limitProcesses({ pid }: RunningServer): readonly (CpuShare | undefined)[] {
  const workers = childrenOf(pid);
  return (workers.length > 0 ? workers : [pid]).map((one) => CpuShare.of(one, SHARE));
}

/**
 * Runs twice: with a share of a core for each process, which shows the gain of a second process on
 * a machine with free cores, and without limits, where the processes share the cores of this
 * machine with the load and PostgreSQL.
 */
async function workers(): Promise<void> {
  const requests = writeJson(work, 'fetches.json', fetches(ROWS));
  for (const isShared of [false, true]) {
    const [one, two] = [await node({}, true), await node({ RAPSHEET_HTTP_WORKERS: '2' }, true)];
    const shares = isShared ? [...limitProcesses(one), ...limitProcesses(two)] : [];
    const result = await compare({ server: two, requests }, { server: one, requests }, plan);
    await Promise.all([one.stop(), two.stop()]);
    for (const share of shares) share?.remove();
    const how = isShared
      ? `${SHARE} of a core for each process`
      : 'all on the cores of this machine';
    console.log(
      `fetches, ${how}: two processes ${Math.round(result.first.rate)} a second, one ${Math.round(result.second.rate)}, ratio ${result.rate.toFixed(2)}`,
    );
    if (!isShared) continue;
    if (shares.length === 3 && !shares.includes(undefined))
      verdicts.add(`two HTTP workers to one, ${how}`, result.rate, 1.4, 'more');
    else
      console.log(
        'two HTTP workers to one: no verdict, because control groups cannot be created here',
      );
  }
}

const parts: Record<string, () => Promise<void>> = {
  // The ratios are those targets where the bare server answers 45,000 requests a second.
  lookups: () =>
    againstBare({
      name: 'lookups',
      requests: () => lookups(ROWS),
      perSecond: 20_000,
      toBare: 0.44,
    }),
  fetches: () => againstBare({ name: 'fetches', requests: () => fetches(ROWS), toBare: 0.35 }),
  creates: () =>
    againstBare({
      name: 'creates',
      requests: (round) => creates(ROWS, round * REQUESTS),
      perSecond: 6000,
      toBare: 0.13,
    }),
  batched: batchedCreates,
  workers,
};

try {
  console.log(`node ${process.version}, ${PINNED}, PostgreSQL on either, ${ROWS} rows`);
  await fill();
  for (const [name, part] of Object.entries(parts)) {
    if (values.only === undefined || values.only.split(',').includes(name)) await part();
  }
  console.log(`\n${verdicts}`);
} finally {
  await database.drop();
  await postgres.stop();
  rmSync(work, { recursive: true });
}
