import { type ChildProcess, spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Trial } from './trial.ts';

const ATTEMPTS = 120;
const PAUSE_MS = 250;

/** Runs a program beside `use`, once `isReady` has returned true. It is ended in any case. */
export async function beside<Result>(
  trial: Trial,
  command: readonly string[],
  isReady: () => Promise<boolean>,
  use: () => Promise<Result>,
): Promise<Result> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd: trial.folder, env: trial.environment() });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000);
    });
  try {
    await untilReady(child, isReady);
    return await use();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${log}`, { cause: error });
  } finally {
    await end(child);
  }
}

async function untilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if (await isReady()) return;
    await wait(PAUSE_MS);
  }
  throw new Error('it is not ready');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Answers of a server on a port of this machine: the addresses, or the code of the error. */
export class NameServer {
  readonly #resolver = new Resolver({ timeout: 5000, tries: 3 });

  constructor(port: number) {
    this.#resolver.setServers([`127.0.0.1:${port}`]);
  }

  async answer(name: string): Promise<string> {
    try {
      return (await this.#resolver.resolve4(name)).join(' ');
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  }
}
