import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Everything is installed here, nothing into the system. */
const FOLDER = fileURLToPath(new URL('../.peers/', import.meta.url));
const DEBIAN = join(FOLDER, 'debian');

const run = promisify(execFile);

/** Installs Python packages into a virtual environment, and returns its `bin` folder. */
export async function installPython(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(FOLDER, name);
  const bin = join(folder, 'bin');
  if (existsSync(join(bin, 'gunicorn'))) return bin;
  mkdirSync(FOLDER, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(join(bin, 'pip'), ['install', '--quiet', ...packages]);
  return bin;
}

/** Unpacks packages of the distribution, without installing them. */
export async function unpackDebian(packages: readonly string[], program: string): Promise<void> {
  if (existsSync(debianPath(program))) return;
  const lists = join(FOLDER, 'lists');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  const options = ['-qq', '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${lists}`];
  await run('apt-get', [...options, 'update']);
  await run('apt-get', [...options, 'download', ...packages], { cwd: lists });
  for (const file of globSync('*.deb', { cwd: lists }))
    await run('dpkg', ['-x', join(lists, file), DEBIAN]);
}

export const debianPath = (path: string) => join(DEBIAN, path);

const LIBRARIES = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[
  arch() as 'x64' | 'arm64'
];
/** Unpacked programs find their libraries; Python leaves no compiled files beside its sources. */
export const debianEnv = {
  PATH: process.env['PATH'],
  PYTHONDONTWRITEBYTECODE: '1',
  LD_LIBRARY_PATH: debianPath(`usr/lib/${LIBRARIES}`),
};

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export async function runProgram({ command, args, env, cwd }: Program): Promise<string> {
  const { stdout } = await run(command, [...args], { env: { ...debianEnv, ...env }, cwd });
  return stdout;
}

/** Ends a server with its children, which may outlive it. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // None is left.
  }
}

/** Whatever fails, no server outlives the benchmark. */
const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) killGroup(child);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Starts a server and waits until its port accepts connections. */
export async function startProgram(
  { command, args, env, cwd }: Program,
  port: number,
): Promise<ChildProcess> {
  const child = spawn(command, [...args], {
    env: { ...debianEnv, ...env },
    cwd,
    // Its own process group, so that it can be ended with its children.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  child.once('exit', () => started.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-4000);
    });
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`);
    if (await isOpen(port)) return child;
    await pause(100);
  }
  killGroup(child);
  throw new Error(`${command} did not listen: ${output}`);
}

async function isOpen(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2000) });
    return true;
  } catch (error) {
    // Redis closes a connection that speaks HTTP, but it accepted it.
    const { code } = (error as { cause?: { code?: string } }).cause ?? {};
    return code !== 'ECONNREFUSED';
  }
}

export async function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return killGroup(child);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(killing);
  killGroup(child);
}

export async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer();
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
  });
  return promise;
}
