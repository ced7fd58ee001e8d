import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestInstallation } from '../../installation.ts';
import { eventually } from '../../until.ts';
import { SingleServer } from './single-server.ts';

export interface CrashLoopPlan {
  /** The number of samples whose analysis crashes each time. */
  readonly deadly: number;
  /** The number of other samples, mixed with them. */
  readonly harmless: number;
}

export interface CrashLoopResult {
  readonly kills: number;
  readonly failed: number;
  readonly done: number;
  readonly workers: number;
  readonly broken: readonly string[];
}

const WORKERS = 2;
const ATTEMPTS = 3;
const SETTLED_MS = 180_000;
const WRAPPER = fileURLToPath(new URL('deadly-nice.ts', import.meta.url));
const NICE = ['/usr/bin/nice', '/bin/nice'].find((file) => existsSync(file));

/** Why the trial cannot run here. */
export const whyNoCrashes =
  (NICE === undefined || process.platform !== 'linux') && 'needs the program nice and /proc';

/**
 * Some samples crash the worker that parses them. They must fail after the maximum of attempts, and
 * all other samples must be analysed.
 */
export async function crashLoop({ deadly, harmless }: CrashLoopPlan): Promise<CrashLoopResult> {
  const installation = new TestInstallation();
  const killsFile = installation.file('kills', '');
  const bad = samplesOf('deadly', deadly);
  const good = samplesOf('harmless', harmless);
  const hashesFile = installation.file('deadly', bad.map(({ sha256 }) => sha256).join('\n'));
  const server = new SingleServer(installation, {
    PATH: deadlyPath(installation, [hashesFile, killsFile]),
    RAPSHEET_ANALYSIS_WORKERS: String(WORKERS),
  });
  try {
    await server.start();
    const { token } = await server.prepare();
    const client = server.client(token);
    const upload = ({ bytes }: Sample) => client.upload(new Blob([bytes]), { fileName: 'a.bin' });
    const endOf = ({ sha256 }: Sample) =>
      eventually(
        () => client.sampleStatus(sha256),
        ({ status }) => status === 'done' || status === 'failed',
        SETTLED_MS,
      );
    const broken: string[] = [];
    await Promise.all(mixed(bad, good).map(upload));
    const ends = { failed: 0, done: 0 };
    const settle = async (sample: Sample, wanted: keyof typeof ends) => {
      const { status, reason = '' } = await endOf(sample);
      if (
        status !== wanted ||
        (wanted === 'failed' && !reason.includes('crashed at every attempt'))
      )
        broken.push(`a sample is ${status}, not ${wanted} (${reason})`);
      else ends[wanted] += 1;
    };
    for (const sample of bad) await settle(sample, 'failed');
    for (const sample of good) await settle(sample, 'done');

    const killed = readFileSync(killsFile, 'utf8').split('\n').filter(Boolean);
    for (const { sha256 } of bad) {
      const kills = killed.filter((hash) => hash === sha256).length;
      if (kills !== ATTEMPTS) broken.push(`a deadly sample had ${kills} attempts`);
    }

    const workers = await eventually(
      async () => childrenOf(server.pid),
      (count) => count === WORKERS,
      SETTLED_MS,
    );
    if (workers !== WORKERS) broken.push(`${workers} workers are left of ${WORKERS}`);
    // Later uploads are not affected.
    for (const later of samplesOf('later', WORKERS * 2)) {
      await upload(later);
      await settle(later, 'done');
    }
    await server.end('SIGTERM');
    broken.push(...(await server.examine()));
    return { kills: killed.length, ...ends, workers, broken };
  } finally {
    await installation.close();
  }
}

interface Sample {
  readonly bytes: string;
  readonly sha256: string;
}

function samplesOf(kind: string, count: number): readonly Sample[] {
  return Array.from({ length: count }, (_, number) => {
    const bytes = `${kind} ${number} ${randomBytes(2000).toString('hex')}`;
    return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}

function mixed<Item>(some: readonly Item[], others: readonly Item[]): readonly Item[] {
  return [...some, ...others].sort(() => Math.random() - 0.5);
}

/** A `PATH` with a wrapper of `nice` before the real one. */
function deadlyPath(installation: TestInstallation, files: readonly string[]): string {
  const folder = join(installation.folder, 'bin');
  mkdirSync(folder);
  const args = [process.execPath, WRAPPER, ...files, String(NICE)].map((arg) => `'${arg}'`);
  writeFileSync(join(folder, 'nice'), `#!/bin/sh\nexec ${args.join(' ')} "$@"\n`);
  chmodSync(join(folder, 'nice'), 0o755);
  return [folder, process.env['PATH']].join(delimiter);
}

/** Counts the child processes; each worker is one, wrapped or not. */
function childrenOf(pid: number): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid).length;
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // The process has ended.
    return undefined;
  }
}
