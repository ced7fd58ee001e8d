import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serializers } from '../../src/http/responses/present.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { PostgresRunner } from '../../src/storage/postgres/runner.ts';
import { createReports } from '../../src/storage/sql/reports/create-reports.ts';
import { createStore } from '../../src/storage/store.ts';
import { newDatabase, startPostgres } from '../../test/postgres.ts';
import { capture, compare } from '../compare.ts';
import { CpuShare, childrenOf } from '../cpu-share.ts';
import { fillPostgres, reportedAt, reportOf } from '../fill.ts';
import { PINNED, type RunningServer, startBare, startRapsheet, writeJson } from '../processes.ts';
import { creates, fetches, lookups } from '../requests.ts';
import { median, Verdicts } from '../verdicts.ts';
import { postgresCpu, ServerWithDatabase } from './cpu.ts';

/**
 * Measures the service on PostgreSQL as ratios in one run: to a bare `node:http` server on the same
 * core, batched creates to one transaction each, and two processes to one. PostgreSQL runs on any
 * core and flushes every commit to the disk. The CPU time of a request includes that of all
 * processes of PostgreSQL.
 */
const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, rows: { type: 'string' } },
});
const quick = values.quick === true;
const ROWS = Number(values.rows ?? (quick ? 100_000 : 200_000));
const plan = quick
  ? { connections: 64, warmUpSeconds: 2, seconds: 2, rounds: 3 }
  : { connections: 64, warmUpSeconds: 5, seconds: 4, rounds: 5 };

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

async function againstBare(name: string, requests: readonly string[], minRate: number) {
  const rapsheet = new ServerWithDatabase(await node(), await postgresCpu(database));
  const file = writeJson(work, 'requests.json', requests);
  const answer = await capture(rapsheet.port, requests[0] ?? '');
  const bare = await startBare(writeJson(work, 'answer.json', answer));
  const sides = [
    { server: rapsheet, requests: file },
    { server: bare, requests: file },
  ] as const;
  const result = await compare(...sides, plan);
  await Promise.all([bare.stop(), rapsheet.stop()]);
  for (const [label, side] of [
    ['rapsheet', result.first],
    ['bare node:http', result.second],
  ] as const)
    console.log(
      `${name}, ${label}: ${Math.round(side.rate)} a second, p99 ${side.p99.toFixed(1)} ms, ${side.cpuMicros.toFixed(1)} µs of CPU each, ${JSON.stringify(side.statuses)}`,
    );
  console.log(
    `${name}: ${Math.round(100 * rapsheet.databaseShare())} % of the CPU time is PostgreSQL's`,
  );
  verdicts.add(`${name} on PostgreSQL: rate to the bare server's`, result.rate, minRate, 'more');
  verdicts.add(`${name} on PostgreSQL: p99 to the bare server's`, result.p99, 4, 'less');
}

/** Returns the creates per second to one feed with 64 concurrent callers, without HTTP. */
async function createRate(create: (number: number) => Promise<unknown>, from: number) {
  const seconds = quick ? 1 : 3;
  const endsAt = performance.now() + seconds * 1000;
  let done = 0;
  const caller = async (_: unknown, index: number) => {
    for (let turn = 0; performance.now() < endsAt; turn += 1) {
      await create(from + turn * 64 + index);
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
  // 20,000 lookups and 6,000 creates a second, where the bare server answers 45,000 requests.
  lookups: () => againstBare('lookups', lookups(ROWS), 0.44),
  fetches: () => againstBare('fetches', fetches(ROWS), 0.35),
  creates: () => againstBare('creates', creates(ROWS), 0.13),
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
