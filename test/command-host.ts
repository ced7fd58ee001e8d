import { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommandLine } from '../src/cli/main.ts';
import type { HostedCommand, HostedOutcome } from './hosted-commands.ts';

/**
 * The process of `HostedCommands`: runs the command lines that its parent sends, each with its own
 * settings, folder and standard streams.
 */

/** A command whose handles are still open after this time would not have ended. */
const END_MS = 60_000;
const POLL_MS = 5;

/** The number of handles that keep this process alive before its first command. */
let idle: number | undefined;

/** Listed until it is garbage, after a file was sent; it keeps no process alive. */
const ENDED_READ = 'FileHandleReadWrap';

const activeHandles = () => process.getActiveResourcesInfo().filter((type) => type !== ENDED_READ);

async function run({ words, environment, folder, input }: HostedCommand): Promise<HostedOutcome> {
  idle ??= activeHandles().length;
  const [stdout, stderr] = [new Collected(), new Collected()];
  process.chdir(folder);
  process.env = { ...environment };
  replace('stdin', Readable.from(input === '' ? [] : [Buffer.from(input)]));
  replace('stdout', stdout);
  replace('stderr', stderr);
  const code = await runCommandLine(words);
  const left = await waitForEnd(idle);
  if (left.length > 0) stderr.write(`the command left open: ${left.join(', ')}\n`);
  return { code: left.length > 0 ? null : code, stdout: stdout.text(), stderr: stderr.text() };
}

/** A process ends once nothing keeps it alive. Returns what still does after the limit. */
async function waitForEnd(idle: number): Promise<readonly string[]> {
  const limit = performance.now() + END_MS;
  for (;;) {
    const active = activeHandles();
    if (active.length <= idle) return [];
    if (performance.now() > limit) return active;
    await pause(POLL_MS, undefined, { ref: false });
  }
}

function replace(name: 'stdin' | 'stdout' | 'stderr', value: Readable | Writable): void {
  Object.defineProperty(process, name, { value, configurable: true });
}

class Collected extends Writable {
  readonly #parts: Buffer[] = [];

  override _write(part: Buffer, _encoding: string, done: () => void): void {
    this.#parts.push(part);
    done();
  }

  text(): string {
    return Buffer.concat(this.#parts).toString('utf8');
  }
}

process.on('message', async (command: HostedCommand) => process.send?.(await run(command)));
process.on('disconnect', () => process.exit());
