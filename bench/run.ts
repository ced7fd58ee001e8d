import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Comparison, capture, compare } from './compare.ts';
import { PINNED, type RunningServer, startBare, startRapsheet, writeJson } from './processes.ts';
import { creates, fetches, lookups } from './requests.ts';
import { copyOf, storeOf } from './stores.ts';
import { Verdicts } from './verdicts.ts';

/**
 * Each line is a ratio within one run: to a bare `node:http` server that sends the same bytes on
 * the same core, or of a large store to a small one. `--quick` uses a smaller store and shorter
 * rounds.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const quick = values.quick === true;
const MANY = quick ? 100_000 : 1_000_000;
const FEW = 10_000;
const plan = quick
  ? { connections: 64, warmUpSeconds: 3, seconds: 2, rounds: 3 }
  : { connections: 64, warmUpSeconds: 10, seconds: 4, rounds: 5 };

const work = mkdtempSync(join(tmpdir(), 'rapsheet-bench-work-'));
const verdicts = new Verdicts();

function show(
  name: string,
  { first, second }: Comparison,
  [one, other]: readonly [string, string],
): void {
  console.log(`${name}:`);
  for (const [label, side] of [
    [one, first],
    [other, second],
  ] as const) {
    console.log(
      `        ${label.padEnd(24)} ${Math.round(side.rate).toString().padStart(6)} a second, p99 ${side.p99.toFixed(1)} ms, ${side.cpuMicros.toFixed(1)} µs of CPU each, ${Math.round(side.residentMb)} MB, ${JSON.stringify(side.statuses)}`,
    );
  }
}

async function againstBare(
  name: string,
  requests: readonly string[],
  rapsheet: RunningServer,
  minRate: number,
) {
  const file = writeJson(work, 'requests.json', requests);
  const bare = await startBare(
    writeJson(work, 'answer.json', await capture(rapsheet.port, requests[0] ?? '')),
  );
  const result = await compare(
    { server: rapsheet, requests: file },
    { server: bare, requests: file },
    plan,
  );
  await bare.stop();
  show(name, result, ['rapsheet', 'bare node:http']);
  verdicts.add(`${name}: rate to the bare server's`, result.rate, minRate, 'more');
  verdicts.add(`${name}: p99 to the bare server's`, result.p99, 3, 'less');
  verdicts.add(`${name}: resident memory under load, MB`, result.first.residentMb, 250, 'less');
}

/** Compares the cost of a call on a large store with that on a small one. */
async function againstFew(
  name: string,
  make: (count: number) => string[],
  many: RunningServer,
  few: RunningServer,
) {
  const result = await compare(
    { server: many, requests: writeJson(work, 'many.json', make(MANY)) },
    { server: few, requests: writeJson(work, 'few.json', make(FEW)) },
    plan,
  );
  show(`${name}, ${MANY} rows to ${FEW}`, result, [`${MANY} rows`, `${FEW} rows`]);
  verdicts.add(`${name}: cost with ${MANY} rows to that with ${FEW}`, 1 / result.rate, 1.3, 'less');
}

async function withStores(
  use: (many: RunningServer, few: RunningServer) => Promise<void>,
): Promise<void> {
  const copies = [copyOf(storeOf(MANY)), copyOf(storeOf(FEW))] as const;
  const [many, few] = [
    await startRapsheet(copies[0].folder),
    await startRapsheet(copies[1].folder),
  ];
  try {
    await use(many, few);
  } finally {
    await Promise.all([many.stop(), few.stop()]);
    for (const copy of copies) copy.remove();
  }
}

const parts: Record<string, () => Promise<void>> = {
  start: async () => {
    const store = storeOf(MANY);
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const server = await startRapsheet(store);
      times.push(server.startedInMs);
      await server.stop();
    }
    verdicts.add(
      `start to ready with ${MANY} samples and reports, s`,
      Math.max(...times) / 1000,
      1.5,
      'less',
    );
  },
  lookups: () =>
    withStores(async (many, few) => {
      await againstBare('lookups', lookups(MANY), many, 0.6);
      await againstFew('lookups', lookups, many, few);
    }),
  fetches: () => withStores((many) => againstBare('fetches', fetches(MANY), many, 0.6)),
  creates: () =>
    withStores(async (many, few) => {
      await againstFew('creates', creates, many, few);
      await againstBare('creates', creates(MANY), many, 0.35);
    }),
};

console.log(
  `node ${process.version}, ${PINNED}, ${plan.connections} connections, ${plan.rounds} rounds of ${plan.seconds} s after ${plan.warmUpSeconds} s`,
);
for (const [name, part] of Object.entries(parts)) {
  if (values.only === undefined || values.only.split(',').includes(name)) await part();
}
rmSync(work, { recursive: true });
console.log(`\n${verdicts}`);
