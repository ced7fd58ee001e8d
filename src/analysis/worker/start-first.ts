import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ChainOptions, type IsolationChain, isolationChains } from './isolation.ts';
import { spawnWorker } from './spawn-worker.ts';

/** Tests pass another program, which reads its modules itself. */
const OWN_PROGRAM = {
  program: fileURLToPath(new URL(`worker${extension()}`, import.meta.url)),
  preload: fileURLToPath(new URL('../../../bin/worker-modules.js', import.meta.url)),
};

type StartOptions = Partial<ChainOptions> & Pick<ChainOptions, 'path'>;

/** The ways to start a worker on this machine, strongest first. */
export function chainsOf(options: StartOptions): readonly IsolationChain[] {
  const isRoot = options.isRoot ?? process.getuid?.() === 0;
  const { program } = options;
  const programOptions = program === undefined ? OWN_PROGRAM : { program };
  return isolationChains({ ...options, ...programOptions, isRoot });
}

/** The process of a worker that no pool uses yet. */
export interface StartedProcess {
  readonly child: ChildProcess;
  /** Ends the process if no pool has taken it. */
  end(): void;
}

/**
 * Starts a process of the strongest isolation before the pool is opened, whose modules take longer
 * to load than this one. Returns `undefined` if the system cannot; the pool then tries again.
 */
export function startFirst(options: StartOptions): StartedProcess | undefined {
  const [chain] = chainsOf(options);
  try {
    const child = spawnWorker(chain?.command ?? []);
    // The pool sees that it has no process.
    child.on('error', () => undefined);
    return { child, end: () => void child.stdin?.destroy() };
  } catch {
    return undefined;
  }
}

/** The published package contains JavaScript. */
function extension(): string {
  return import.meta.url.endsWith('.ts') ? '.ts' : '.js';
}
