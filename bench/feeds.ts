import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { alternate, create, createMany, get, type ServerCall } from './calls.ts';
import { calls } from './feed-calls.ts';
import { load, PINNED, type RunningServer, startRapsheet, writeJson } from './processes.ts';
import { bulkBody, creates, REQUESTS } from './requests.ts';
import { copyOf, storeOf } from './stores.ts';
import { fileLimit, OpenStreams } from './streams.ts';
import { median, Verdicts } from './verdicts.ts';

/**
 * Measures reading a feed: pages of a large store to those of a small one, bulk creates to single
 * ones, and the latency and memory of streams. `--quick` uses smaller amounts; `--only` selects
 * parts.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const quick = values.quick === true;
const MANY = quick ? 100_000 : 1_000_000;
const FEW = 10_000;
const work = mkdtempSync(join(tmpdir(), 'rapsheet-bench-work-'));
const verdicts = new Verdicts();

async function withServer(
  count: number,
  use: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const copy = copyOf(storeOf(count));
  const server = await startRapsheet(copy.folder);
  try {
    await use(server);
  } finally {
    await server.stop();
    copy.remove();
  }
}

async function comparePages(many: RunningServer, few: RunningServer): Promise<void> {
  for (const [name, pathOf] of Object.entries(calls)) {
    const ofMany = { server: many, path: await pathOf(MANY, many) };
    const ofFew = { server: few, path: await pathOf(FEW, few) };
    const sizes = [await sizeOf(ofMany), await sizeOf(ofFew)];
    // Pages of different sizes are not comparable.
    if (sizes[0] !== sizes[1]) throw new Error(`${name}: pages of ${sizes.join(' and ')}`);
    const [slow, fast] = await alternate(ofMany, ofFew, quick ? 60 : 300);
    console.log(`${name}, ${sizes[0]} rows: ${slow.toFixed(2)} ms to ${fast.toFixed(2)} ms`);
    verdicts.add(`${name}: ${MANY} to ${FEW} reports`, slow / fast, 1.3, 'less');
  }
}

async function sizeOf({ server, path }: ServerCall): Promise<number> {
  const { reports, changes } = JSON.parse(await get(server, path));
  return (reports ?? changes).length;
}

async function compareCreates(server: RunningServer): Promise<void> {
  const lines = quick ? 2000 : 10_000;
  const plan = { warmUpSeconds: quick ? 1 : 3, seconds: quick ? 2 : 5 };
  const toSequential: number[] = [];
  const toConcurrent: number[] = [];
  for (let round = 0; round < (quick ? 3 : 5); round += 1) {
    // A repeated C2 costs more, so each round uses its own addresses.
    const from = round * 2 * REQUESTS;
    const requests = writeJson(work, 'creates.json', creates(FEW, from));
    const sequential = await load(server.port, requests, { ...plan, connections: 1 });
    const concurrent = await load(server.port, requests, { ...plan, connections: 64 });
    const startedAt = performance.now();
    const answer = await createMany(server, bulkBody(from + REQUESTS, lines, FEW));
    const rate = (lines * 1000) / (performance.now() - startedAt);
    if (answer.split('"successful":true').length !== lines + 1)
      throw new Error('lines are missing');
    console.log(
      `creates a second: ${Math.round(sequential.rate)} one after the other, ${Math.round(concurrent.rate)} on 64 connections, ${Math.round(rate)} in bulk`,
    );
    toSequential.push(rate / sequential.rate);
    toConcurrent.push(rate / concurrent.rate);
  }
  verdicts.add('bulk create to single ones, one after the other', median(toSequential), 10, 'more');
  verdicts.add('bulk create to single ones on 64 connections', median(toConcurrent), 10, 'more');
}

async function reachStreams(server: RunningServer): Promise<void> {
  const count = quick ? 200 : 1000;
  const figure = `a create reaches ${count} streams, p99 in ms`;
  if (fileLimit() < count + 100)
    return verdicts.skip(figure, `only ${fileLimit()} files may be open (ulimit -n)`);
  const streams = new OpenStreams(server.port);
  await streams.open(count);
  const all: number[] = [];
  for (let index = 0; index < (quick ? 10 : 50); index += 1) {
    all.push(...(await streams.latenciesOf(() => create(server, bulkBody(index, 1, FEW)))));
  }
  streams.close();
  all.sort((one, other) => one - other);
  const at = (share: number) => all[Math.floor(all.length * share)] ?? Number.NaN;
  console.log(
    `${count} streams reached after ${at(0.5).toFixed(1)} ms (median), ${at(0.99).toFixed(1)} ms (p99)`,
  );
  verdicts.add(figure, at(0.99), 250, 'less');
}

async function idleStreams(server: RunningServer): Promise<void> {
  const count = 2000;
  const figure = `${count} idle streams: resident memory more, MB`;
  if (fileLimit() < count + 100)
    return verdicts.skip(figure, `only ${fileLimit()} files may be open (ulimit -n)`);
  // The first streams cause one-time allocations, which are not counted.
  const first = new OpenStreams(server.port);
  await first.open(100);
  const before = server.residentMb();
  const streams = new OpenStreams(server.port);
  await streams.open(count);
  // A ping goes to all of them every 15 seconds.
  await pause(quick ? 3000 : 20_000);
  const after = server.residentMb();
  for (const some of [first, streams]) some.close();
  console.log(
    `${count} idle streams: ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB with them`,
  );
  verdicts.add(figure, after - before, 100, 'less');
}

const parts: Record<string, () => Promise<void>> = {
  pages: () => withServer(MANY, (many) => withServer(FEW, (few) => comparePages(many, few))),
  bulk: () => withServer(FEW, compareCreates),
  reach: () => withServer(FEW, reachStreams),
  idle: () => withServer(FEW, idleStreams),
};

console.log(`node ${process.version}, ${PINNED}`);
for (const [name, part] of Object.entries(parts)) {
  if (values.only === undefined || values.only.split(',').includes(name)) await part();
}
rmSync(work, { recursive: true });
console.log(`\n${verdicts}`);
