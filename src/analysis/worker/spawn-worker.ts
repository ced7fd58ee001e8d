import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { descriptorArguments, stdioWithoutInherited } from './inherited-descriptors.ts';
import { FILTER_FD } from './isolation/bubblewrap.ts';
import type { WorkerCommand } from './isolation/chains.ts';

/** Requests, nothing, standard error, responses. */
const STREAMS = ['pipe', 'ignore', 'pipe', 'pipe'] as const;

/** Starts the process of a worker, which waits for its modules. Throws if the system cannot. */
export function spawnWorker({ command, filter, groups }: WorkerCommand): ChildProcess {
  const [program = '', ...programArguments] = command;
  const streams = filter === undefined ? STREAMS : ([...STREAMS, 'pipe'] as const);
  const child = spawn(program, [...programArguments, ...descriptorArguments(streams)], {
    // An almost empty environment: no settings and no secrets of ours.
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      UV_USE_IO_URING: '0',
    },
    stdio: stdioWithoutInherited(streams),
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) return child;
  try {
    const group = groups?.add(pid);
    child.once('close', () => group?.remove());
  } catch (cause) {
    child.kill('SIGKILL');
    // Its events would have no listener.
    child.on('error', () => undefined);
    throw cause;
  }
  if (filter !== undefined) sendFilter(child.stdio[FILTER_FD] as Writable | undefined, filter);
  return child;
}

/**
 * Bubblewrap reads it before it creates a process, so all processes of the worker are in its group.
 */
function sendFilter(pipe: Writable | undefined, filter: Buffer): void {
  // A program of the chain that failed has closed it, which `close` reports.
  pipe?.on('error', () => undefined);
  pipe?.end(filter);
}
