import type { ChildProcess } from 'node:child_process';
import { spawnWorker } from './spawn-worker.ts';
import { chainsOf, type StartOptions } from './worker-chains.ts';

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
    const child = spawnWorker(chain ?? { command: [] });
    // The pool sees that it has no process.
    child.on('error', () => undefined);
    return { child, end: () => void child.stdin?.destroy() };
  } catch {
    return undefined;
  }
}
