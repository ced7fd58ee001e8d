import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCommandOf, THIS_TREE } from './trees.ts';

/** If `taskset` works, the server and the load generator each get a core and do not compete. */
const hasTaskset = (() => {
  try {
    execFileSync('taskset', ['-c', '0', 'true']);
    execFileSync('taskset', ['-c', '1', 'true']);
    return true;
  } catch {
    return false;
  }
})();

/** The bare server and the load generator get the same flags. */
const { flags: FLAGS } = startCommandOf(THIS_TREE);

export const PINNED = hasTaskset
  ? 'server on core 0, load on core 1'
  : 'not pinned: no taskset or one core';

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

function onCore(
  core: number | undefined,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): ChildProcess {
  const [command, ...rest] =
    hasTaskset && core !== undefined
      ? ['taskset', '-c', String(core), process.execPath, ...args]
      : [process.execPath, ...args];
  return spawn(command as string, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly startedInMs: number;
  residentMb(): number;
  /** CPU time used so far by all threads, in steps of 10 ms. */
  cpuMs(): number;
  /** CPU time used so far by the threads that still run, in nanoseconds. */
  cpuNanos(): number;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Not pinned: the server and its workers run on any core. */
  readonly unpinned?: boolean;
  /** The checkout to start; this one by default. */
  readonly tree?: string;
  readonly flags?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

/** One account makes all calls. Its limits are checked as usual, but never reached. */
const HIGH_LIMITS = {
  RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: '1000000000',
  RAPSHEET_ACCOUNT_CREATES_BURST: '1000000000',
  RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE: '1000000000',
  RAPSHEET_ACCOUNT_UPLOADS: '0',
  RAPSHEET_ACCOUNT_STREAMS: '0',
  RAPSHEET_ACCOUNT_STORED_BYTES: '0',
};

export async function startRapsheet(
  dataDir: string,
  { unpinned = false, tree = THIS_TREE, flags = [], settings = {} }: ServerOptions = {},
): Promise<RunningServer> {
  const startedAt = performance.now();
  const env = {
    PATH: process.env['PATH'],
    RAPSHEET_DATA_DIR: dataDir,
    RAPSHEET_PORT: '0',
    RAPSHEET_METRICS_PORT: '0',
    // Stores are reused by later runs; housekeeping must not drop their old changes.
    RAPSHEET_CHANGES_KEPT_DAYS: '36500',
    ...HIGH_LIMITS,
    ...settings,
  };
  const command = startCommandOf(tree);
  const args = [...command.flags, ...flags, command.entry, 'serve'];
  const child = onCore(unpinned ? undefined : 0, args, env);
  const port = Number(await firstMatch(child, /listens on http:\/\/127\.0\.0\.1:(\d+)/));
  await (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
  return server(child, port, performance.now() - startedAt);
}

export async function startBare(answerFile: string): Promise<RunningServer> {
  const startedAt = performance.now();
  const child = onCore(0, [...FLAGS, script('bare.ts'), answerFile]);
  const port = Number(await firstMatch(child, /^(\d+)\n/));
  return server(child, port, performance.now() - startedAt);
}

function server(child: ChildProcess, port: number, startedInMs: number): RunningServer {
  return {
    // The process has printed its port, so it has a pid.
    pid: child.pid as number,
    port,
    startedInMs,
    residentMb: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    },
    cpuMs: () => {
      // Fields 14 and 15 of proc(5), in hundredths of a second. The command name before them may
      // contain spaces.
      const fields =
        readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    cpuNanos: () => {
      const tasks = `/proc/${child.pid}/task`;
      return readdirSync(tasks)
        .map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]))
        .reduce((sum, nanos) => sum + nanos, 0);
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += chunk;
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`the server ended before it was ready:\n${text}`)));
  });
}

export interface Load {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Includes the warm-up. */
  readonly answered: number;
  /** CPU time of the load generator per request. */
  readonly loadMicros: number;
  readonly statuses: Readonly<Record<string, number>>;
}

export interface LoadPlan {
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Stop when every request of the file was sent once, however long it takes. */
  readonly once?: boolean;
}

export async function load(port: number, requestsFile: string, plan: LoadPlan): Promise<Load> {
  const args = [port, plan.connections, plan.warmUpSeconds, plan.seconds].map(String);
  const mode = plan.once ? ['once'] : [];
  const child = onCore(1, [...FLAGS, script('load.ts'), ...args, requestsFile, ...mode]);
  let text = '';
  let errors = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.once('exit', resolve));
  if (text === '') throw new Error(`the load generator failed: ${errors}`);
  return JSON.parse(text);
}

export function writeJson(folder: string, name: string, value: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}
