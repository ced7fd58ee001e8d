import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, writeJson } from '../processes.ts';
import { crowdsec } from './crowdsec.ts';
import { flaskRedis } from './flask-redis.ts';
import { mwdb } from './mwdb.ts';
import type { Peer, PeerOperation, RunningPeer } from './peer.ts';
import { treeCpuMs, treeMemoryMb } from './process-tree.ts';
import { rapsheet } from './rapsheet.ts';
import { type PeerRow, peerTable } from './table.ts';

/**
 * Measures other services beside this one, on the same machine in one run: CPU time per request of
 * all their processes, and memory, with 10,000 and 300,000 objects. They are installed into
 * `bench/.peers` from package registries; one that cannot be installed is named and skipped.
 * `--quick` uses fewer objects, `--only` selects peers by a part of their name.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    sizes: { type: 'string' },
  },
});
const SIZES = (values.sizes ?? (values.quick ? '1000,10000' : '10000,300000'))
  .split(',')
  .map(Number);
const PEERS: readonly Peer[] = [rapsheet, flaskRedis, crowdsec, mwdb];
const QUICK_SECONDS = 1.5;
const QUICK_SHARE = 0.25;
const LEAST_REQUESTS = 100;
const WARM_UP_REQUESTS = 40;
const WARM_UP_SECONDS = 5;

/** Fills caches and compiles code. Additions are not repeated, so they get only some requests. */
async function warmUp({ port }: RunningPeer, { plan }: PeerOperation, file: string): Promise<void> {
  await load(port, file, { connections: 8, warmUpSeconds: 0, seconds: WARM_UP_SECONDS, ...plan });
}

async function measure(peer: RunningPeer, operation: PeerOperation, work: string, count: number) {
  const all = operation.requests(count);
  const fewer = Math.max(LEAST_REQUESTS, all.length * QUICK_SHARE);
  const requests = values.quick && operation.plan.once ? all.slice(0, fewer) : all;
  const plan = { connections: 8, warmUpSeconds: 0, seconds: 4, ...operation.plan };
  const shorter = { ...plan, seconds: values.quick ? QUICK_SECONDS : plan.seconds };
  const file = writeJson(work, 'requests.json', requests.slice(WARM_UP_REQUESTS));
  await warmUp(peer, operation, writeJson(work, 'first.json', all.slice(0, WARM_UP_REQUESTS)));
  const before = treeCpuMs(peer.pids);
  const { answered, statuses } = await load(peer.port, file, shorter);
  const cpuMs = treeCpuMs(peer.pids) - before;
  if (Object.keys(statuses).some((status) => !status.startsWith('2')))
    throw new Error(`${operation.name}: ${JSON.stringify(statuses)}`);
  return (cpuMs * 1000) / answered;
}

async function measurePeer(peer: Peer, count: number): Promise<readonly PeerRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-peer-'));
  const work = mkdtempSync(join(tmpdir(), 'rapsheet-peer-work-'));
  let running: RunningPeer | undefined;
  try {
    running = await peer.start(count, folder);
    const rows: PeerRow[] = [];
    for (const operation of running.operations) {
      const micros = await measure(running, operation, work, count);
      const memoryMb = treeMemoryMb(running.pids);
      rows.push({ peer: peer.name, operation: operation.name, count, micros, memoryMb });
      console.error(peer.name, count, operation.name, Math.round(micros), Math.round(memoryMb));
    }
    return rows;
  } finally {
    await running?.stop();
    for (const each of [folder, work]) rmSync(each, { recursive: true, force: true });
  }
}

const rows: PeerRow[] = [];
const selected = PEERS.filter(({ name }) =>
  name.toLowerCase().includes((values.only ?? '').toLowerCase()),
);
for (const peer of selected) {
  try {
    await peer.install();
    for (const count of SIZES) rows.push(...(await measurePeer(peer, count)));
  } catch (error) {
    // The last line of a traceback says what is wrong.
    const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
    console.log(`skipped ${peer.name}: ${lines.at(-1)?.slice(0, 300)}`);
  }
}
console.log(peerTable(rows, SIZES));
for (const { name, setUp } of selected) console.log(`${name}: ${setUp}.`);
console.log(
  `Measured on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model}).`,
);
process.exit(0);
