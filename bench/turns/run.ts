import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { TurnWindow } from '../../test/attack/probe.ts';
import { BENCH_TOKEN } from '../fill.ts';
import { type Call, FlatServer } from '../flat/client.ts';
import { startRapsheet } from '../processes.ts';
import { copyOf, storeOf } from '../stores.ts';
import { addAdmin, THIS_TREE } from '../trees.ts';
import { median } from '../verdicts.ts';
import { cases, type TurnCase } from './cases.ts';

/**
 * Prints the longest turn of the event loop during each operation with its largest input: the CPU
 * time of the main thread between two calls of a timer, the median over the runs and the greatest.
 * The timer adds up to 2 ms. `--only` selects the cases whose names contain one of its words.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '7' },
    only: { type: 'string' },
  },
});
const PROBE = fileURLToPath(new URL('../../test/attack/probe.ts', import.meta.url));
/** After this time the probe has written the windows of a run. */
const SETTLE_MS = 250;
/** Most code is compiled by then. */
const WARM_UP_RUNS = 3;
const count = Number(values.count);
const words = values.only?.split(',');

function pathOf(folder: string): string {
  return join(folder, 'turns.ndjson');
}

/** Sends all calls at once, and returns when the last of them was answered. */
function pipeline(port: number, calls: readonly Call[]): Promise<void> {
  const head = (path: string, isLast: boolean) =>
    `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: ${BENCH_TOKEN}\r\nConnection: ${isLast ? 'close' : 'keep-alive'}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject).on('close', () => resolve());
    socket.resume();
    socket.end(calls.map(({ path }, at) => head(path, at === calls.length - 1)).join(''));
  });
}

async function runOnce(turnCase: TurnCase, server: FlatServer, number: number): Promise<number> {
  const calls = await turnCase({ server, number });
  const startedAt = Date.now();
  if ('path' in calls)
    await (calls.until === undefined ? server.receive(calls) : server.send(calls));
  else await pipeline(server.process.port, calls);
  return startedAt;
}

async function measure(
  turnCase: TurnCase,
  server: FlatServer,
  file: string,
): Promise<readonly number[]> {
  const longest: number[] = [];
  for (let number = 0; number < WARM_UP_RUNS + Number(values.runs); number += 1) {
    await pause(SETTLE_MS);
    const startedAt = await runOnce(turnCase, server, number);
    await pause(SETTLE_MS);
    const windows = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TurnWindow);
    const during = windows.filter(({ at }) => at >= startedAt).map(({ cpuMs }) => cpuMs);
    if (number >= WARM_UP_RUNS) longest.push(Math.max(...during));
  }
  return longest;
}

const { folder, remove } = copyOf(storeOf(count));
const scratch = mkdtempSync(join(tmpdir(), 'rapsheet-turns-'));
try {
  const adminToken = addAdmin(THIS_TREE, folder);
  const running = await startRapsheet(folder, {
    flags: [`--import=${PROBE}`],
    settings: { ATTACK_TURNS_FILE: pathOf(scratch), RAPSHEET_ANALYSIS_WORKERS: '0' },
  });
  const server = new FlatServer({ count, adminToken, process: running, sinkUrl: '' });
  try {
    console.log('| operation | median, ms | greatest, ms |\n| --- | --- | --- |');
    for (const [name, turnCase] of Object.entries(cases)) {
      if (words !== undefined && !words.some((word) => name.includes(word))) continue;
      try {
        const longest = await measure(turnCase, server, pathOf(scratch));
        const greatest = Math.max(...longest).toFixed(1);
        console.log(`| ${name} | ${median(longest).toFixed(1)} | ${greatest} |`);
      } catch (error) {
        console.log(`| ${name} | failed: ${String(error).slice(0, 200)} | |`);
      }
    }
  } finally {
    server.close();
    await running.stop();
  }
} finally {
  remove();
  rmSync(scratch, { recursive: true });
}
