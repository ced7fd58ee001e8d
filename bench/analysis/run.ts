import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomFillSync } from 'node:crypto';
import {
  createReadStream,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RapsheetClient } from '../../src/client/client.ts';
import { readConfig } from '../../src/config.ts';
import type { Analyser, AnalysisOutcome } from '../../src/ports/analyser.ts';
import { openAnalyser } from '../../src/server/open-analyser.ts';
import { fixture } from '../../test/analysis/fixture.ts';
import { load, type RunningServer, startRapsheet, writeJson } from '../processes.ts';
import { median, Verdicts } from '../verdicts.ts';
import { makeLargeFile, members } from './cases.ts';

/**
 * Measures the cost of an analysis as a ratio to the tools of the distribution on the same file in
 * the same run, and the effect of analyses on the latency of the API. `--quick` uses fewer files;
 * `--only` selects parts.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const quick = values.quick === true;
const verdicts = new Verdicts();
const work = mkdtempSync(join(tmpdir(), 'rapsheet-bench-analysis-'));
const RULES = globSync(fileURLToPath(new URL('../../rules/*.yar', import.meta.url))).sort();

function secondsOf(command: string, args: readonly string[]): number {
  const startedAt = performance.now();
  const { error, status, stderr } = spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (error !== undefined || status !== 0) throw error ?? new Error(`${command}: ${stderr}`);
  return (performance.now() - startedAt) / 1000;
}

function has(tool: string): boolean {
  return spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined;
}

function analyseFile(analyser: Analyser, file: string): Promise<AnalysisOutcome> {
  const { size } = statSync(file);
  const bytes = createReadStream(file, { highWaterMark: 1 << 20 });
  return analyser.analyse({ fileName: 'large.bin', sizeBytes: size, bytes }, new Date());
}

async function large(): Promise<void> {
  const file = makeLargeFile(work);
  const tools: [string, string[]][] = [
    ...['md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'b3sum', 'ssdeep'].map(
      (tool): [string, string[]] => [tool, [file]],
    ),
    ['yara', [...yaraRules(), file]],
  ];
  const missing = tools.map(([tool]) => tool).filter((tool) => !has(tool));
  const analyser = await openAnalyser(readConfig(), { workers: 1 });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const startedAt = performance.now();
    const outcome = await analyseFile(analyser, file);
    if (outcome.kind !== 'done') throw new Error(outcome.message);
    ours.push((performance.now() - startedAt) / 1000);
    if (missing.length > 0) continue;
    const seconds = tools.map(([tool, args]) => secondsOf(tool, args));
    theirs.push(seconds.reduce((sum, one) => sum + one, 0));
    console.log(
      `        ${tools.map(([tool], index) => `${tool} ${seconds[index]?.toFixed(2)}`).join(', ')} s`,
    );
  }
  await analyser.close();
  console.log(
    `100 MB: ours ${ours.map((one) => one.toFixed(2))} s, tools ${theirs.map((one) => one.toFixed(2))} s`,
  );
  verdicts.add('whole analysis of 100 MB, s', median(ours), 3, 'less');
  if (missing.length > 0)
    verdicts.skip('100 MB to the tools', `not installed: ${missing.join(', ')}`);
  else
    verdicts.add(
      'whole analysis of 100 MB to hash tools, ssdeep and yara',
      median(ours) / median(theirs),
      1.5,
      'less',
    );
}

/** The rules that YARA, the older implementation, can compile. */
function yaraRules(): string[] {
  if (!has('yara')) return [];
  return RULES.filter(
    (rule) => spawnSync('yara', [rule, '/dev/null'], { stdio: 'ignore' }).status === 0,
  );
}

const NOISE = randomFillSync(Buffer.alloc(1 << 20));

/** A program of 1 MB with a hash of its own: its last 32 bytes differ. */
function smallProgram(index: number): Buffer {
  const program = Buffer.from(NOISE);
  fixture('analysis/pe/library').copy(program);
  createHash('sha256')
    .update(`${index} ${process.pid}`)
    .digest()
    .copy(program, program.length - 32);
  return program;
}

async function withServer(
  use: (server: RunningServer, client: RapsheetClient, token: string) => Promise<void>,
) {
  const folder = join(work, `data-${Math.random()}`);
  const server = await startRapsheet(folder, { unpinned: true });
  const token = execFileSync('cat', [join(folder, 'admin-token')], { encoding: 'utf8' }).trim();
  const url = `http://127.0.0.1:${server.port}`;
  const admin = new RapsheetClient({ url, token, retries: 0 });
  const { token: researcher } = await admin.addAccount({
    name: 'bench',
    roles: ['researcher'],
    quota: { limit: null, period: 'none' },
  });
  try {
    await use(server, new RapsheetClient({ url, token: researcher, retries: 0 }), researcher);
  } finally {
    await server.stop();
  }
}

async function small(): Promise<void> {
  await withServer(async (_, client) => {
    const times: number[] = [];
    for (let index = 0; index < (quick ? 15 : 50); index += 1) {
      const file = new Blob([new Uint8Array(smallProgram(index))]);
      const startedAt = performance.now();
      const { status, sha256Hash } = await client.upload(file, { fileName: 'small.exe', wait: 30 });
      await client.lookUp(sha256Hash);
      if (status !== 'done') throw new Error(status);
      times.push(performance.now() - startedAt);
    }
    console.log(`1 MB program: ${times.map((one) => Math.round(one)).join(' ')} ms`);
    verdicts.add('upload to report of a program of 1 MB, median ms', median(times), 150, 'less');
  });
}

const PROGRAM = fileURLToPath(new URL('../../bin/rapsheet.js', import.meta.url));
const ROUNDS = 5;

/** `rapsheet analyse`, from the start of the process to its end. */
async function commandLine(): Promise<void> {
  const folder = join(work, 'small');
  mkdirSync(folder);
  const names = ['pe/library', 'pe/injector', 'elf/plain-arm', 'pe/hello64'];
  for (let index = 0; index < 300; index += 1) {
    const bytes = Buffer.from(fixture(`analysis/${names[index % names.length]}`));
    bytes.writeUInt32LE(index, bytes.length - 4);
    writeFileSync(join(folder, `${index}.bin`), bytes);
  }
  const seconds = (path: string) =>
    Array.from({ length: ROUNDS }, () =>
      secondsOf(process.execPath, [PROGRAM, 'analyse', '--ndjson', path]),
    );
  const one = seconds(join(folder, '0.bin'));
  const all = seconds(folder);
  console.log(`analyse: one ${one.map((each) => each.toFixed(2))} s`);
  console.log(`         300 ${all.map((each) => each.toFixed(2))} s`);
  verdicts.add('`analyse` of one small file, least s', Math.min(...one), 0.7, 'less');
  verdicts.add('`analyse` of 300 small files, least s', Math.min(...all), 2, 'less');
}

/** The start of a server, and an upload as soon as it is ready. */
async function start(): Promise<void> {
  const starts: number[] = [];
  const uploads: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await withServer(async ({ startedInMs }, client) => {
      starts.push(startedInMs);
      const startedAt = performance.now();
      const file = new Blob([new Uint8Array(fixture('analysis/pe/library'))]);
      const { status } = await client.upload(file, { fileName: 'first.exe', wait: 30 });
      if (status !== 'done') throw new Error(status);
      uploads.push(performance.now() - startedAt);
    });
  }
  console.log(`start: ${starts.map(Math.round)} ms, first upload ${uploads.map(Math.round)} ms`);
  verdicts.add('start to ready, least ms', Math.min(...starts), 800, 'less');
  verdicts.add('first upload after a start, least ms', Math.min(...uploads), 500, 'less');
}

async function memory(): Promise<void> {
  const count = quick ? 2000 : 10_000;
  const analyser = await openAnalyser(readConfig(), { workers: 1 });
  const program = fixture('analysis/pe/hello32');
  const marks: number[] = [];
  const startedAt = performance.now();
  for (let index = 1; index <= count; index += 1) {
    const bytes = Buffer.from(program);
    bytes.writeUInt32LE(index, bytes.length - 4);
    const sample = { fileName: 'small', sizeBytes: bytes.length, bytes: one(bytes) };
    const outcome = await analyser.analyse(sample, new Date());
    if (outcome.kind !== 'done') throw new Error(outcome.message);
    if (index % (count / 10) === 0) marks.push(workersMb());
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await analyser.close();
  console.log(
    `${count} small files in ${seconds.toFixed(1)} s: ${marks.map(Math.round).join(' ')} MB`,
  );
  const [, early = 0] = marks;
  verdicts.add(
    `memory of a worker after ${count} files to that after ${count / 5}`,
    (marks.at(-1) ?? 0) / early,
    1.15,
    'less',
  );
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The resident size of the largest worker process. */
function workersMb(): number {
  const list = execFileSync('ps', ['-eo', 'rss,args'], { encoding: 'utf8' });
  const sizes = list
    .split('\n')
    .filter((line) => /analysis\/worker\/worker\.[jt]s/.test(line))
    .map((line) => Number(line.trim().split(/\s+/)[0]));
  return Math.max(0, ...sizes) / 1024;
}

async function latency(): Promise<void> {
  await withServer(async (server, client, token) => {
    const requests = writeJson(work, 'requests.json', [
      `GET /api/balance HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`,
    ]);
    const plan = { connections: 8, warmUpSeconds: 1, seconds: quick ? 3 : 8 };
    const ratios: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const idle = await load(server.port, requests, plan);
      await fillQueue(client, round);
      const busy = await load(server.port, requests, plan);
      console.log(`        p99 idle ${idle.p99.toFixed(2)} ms, busy ${busy.p99.toFixed(2)} ms`);
      ratios.push(busy.p99 / idle.p99);
      await untilIdle(client);
    }
    verdicts.add('p99 of the API with a full queue to the idle one', median(ratios), 1.5, 'less');
  });
}

const queued: string[] = [];

async function fillQueue(client: RapsheetClient, round: number): Promise<void> {
  const count = quick ? 60 : 150;
  for (let index = 0; index < count; index += 1) {
    const file = new Blob([new Uint8Array(smallProgram(1000 * (round + 1) + index))]);
    queued.push((await client.upload(file, { fileName: 'queued.exe' })).sha256Hash);
  }
}

async function untilIdle(client: RapsheetClient): Promise<void> {
  for (const hash of queued.splice(0)) {
    while (['queued', 'running'].includes((await client.sampleStatus(hash)).status))
      await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const parts: Record<string, () => Promise<void>> = {
  large,
  small,
  members: () => members(verdicts),
  commandLine,
  start,
  memory,
  latency,
};
console.log(`node ${process.version}`);
for (const [name, part] of Object.entries(parts)) {
  if (values.only === undefined || values.only.split(',').includes(name)) await part();
}
rmSync(work, { recursive: true });
console.log(`\n${verdicts}`);
