import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawFlameGraph, layerShares } from './drawing/flame-graph.ts';
import { type CpuProfile, foldProfile, newFrame } from './drawing/profile.ts';
import { type LoadPart, loadParts } from './load-parts.ts';
import { load, type RunningServer, startRapsheet, writeJson } from './processes.ts';
import { copyOf, storeOf } from './stores.ts';

/**
 * Runs the server with `--cpu-prof` under load and draws flame graphs:
 * `npm run bench -- flame create page`. Without names it draws all.
 */
const KINDS: Readonly<Record<string, string>> = {
  create: 'creates',
  page: 'pages',
  changes: 'changes',
  lookup: 'lookups',
  fetch: 'fetches',
  bulk: 'bulk',
};
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '100000' },
    out: { type: 'string', default: fileURLToPath(new URL('../docs/images/', import.meta.url)) },
    seconds: { type: 'string', default: '5' },
  },
});
const COUNT = Number(values.count);
const SECONDS = Number(values.seconds);
const SAMPLE_MICROS = '500';

const nowMicros = () => Number(process.hrtime.bigint() / 1000n);

/** Loads the server and returns the time in which the profile counts. */
async function loadPart(server: RunningServer, part: LoadPart, work: string) {
  const plan = { connections: 64, warmUpSeconds: 0, seconds: SECONDS, ...part.plan };
  const requests = (round: number) =>
    writeJson(work, 'requests.json', part.requests(COUNT, round, ''));
  await load(server.port, requests(1), plan);
  const file = requests(2);
  const from = nowMicros();
  const { answered } = await load(server.port, file, plan);
  return { from, to: nowMicros(), answered: answered * (part.linesPerRequest ?? 1) };
}

/** Each thread writes a profile of its own when the server ends. */
function readProfiles(folder: string): readonly CpuProfile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

async function drawKind(kind: string, part: LoadPart): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'rapsheet-flame-'));
  const copy = copyOf(storeOf(COUNT));
  const flags = ['--cpu-prof', `--cpu-prof-dir=${work}`, `--cpu-prof-interval=${SAMPLE_MICROS}`];
  try {
    const server = await startRapsheet(copy.folder, { flags });
    const window = await loadPart(server, part, work);
    await server.stop();
    const root = newFrame('', '');
    for (const profile of readProfiles(work)) foldProfile(root, profile, window);
    if (root.total === 0) throw new Error(`no samples of ${kind}`);
    const each = (root.total / window.answered).toFixed(1);
    const unit = part.linesPerRequest ? 'line' : 'request';
    const description = `${each} µs per ${unit}, ${COUNT.toLocaleString('en')} samples and reports stored, Node ${process.version}; widths are time, callers above`;
    const svg = drawFlameGraph(root, { title: `Where the time of a ${kind} goes`, description });
    const file = join(values.out, `flame-${kind}.svg`);
    writeFileSync(file, svg);
    const shares = [...layerShares(root)].sort(([, one], [, other]) => other - one);
    console.log(`${file}: ${description}`);
    for (const [layer, self] of shares)
      console.log(`  ${layer.padEnd(12)} ${((100 * self) / root.total).toFixed(1)} %`);
  } finally {
    copy.remove();
    rmSync(work, { recursive: true });
  }
}

const names = positionals.length > 0 ? positionals : Object.keys(KINDS);
for (const kind of names) {
  const part = loadParts[KINDS[kind] ?? ''];
  if (part === undefined) {
    console.error(`unknown: ${kind}; known are ${Object.keys(KINDS).join(', ')}`);
    process.exitCode = 2;
  } else await drawKind(kind, part);
}
