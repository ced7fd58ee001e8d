import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { descriptorArguments, stdioWithoutInherited } from './inherited-descriptors.ts';
import { FILTER_FD } from './isolation/bubblewrap.ts';
import type { WorkerCommand } from './isolation/chains.ts';

/** Requests, nothing, standard error, responses. */
const STREAMS = ['pipe', 'ignore', 'pipe', 'pipe'] as const;
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  UV_USE_IO_URING: '0',
};

/** Starts the process of a worker, which waits for requests. Throws if the system cannot. */
export function spawnWorker({ command, filter, groups }: WorkerCommand): ChildProcess {
  const streams = filter === undefined ? STREAMS : ([...STREAMS, 'pipe'] as const);
  const group = groups?.create();
  const [program = '', ...programArguments] = [...(group?.enter ?? []), ...command];
  try {
    const child = spawn(program, [...programArguments, ...descriptorArguments(streams)], {
      // No settings and no secrets of ours.
      env: ENVIRONMENT,
      stdio: stdioWithoutInherited(streams),
      detached: true,
    });
    child.once('close', () => group?.remove());
    if (filter !== undefined) sendFilter(child.stdio?.[FILTER_FD] as Writable | undefined, filter);
    return child;
  } catch (cause) {
    group?.remove();
    throw cause;
  }
}

function sendFilter(pipe: Writable | undefined, filter: Buffer): void {
  // If a program of the chain fails, it closes the pipe, and `close` of the child reports it.
  pipe?.on('error', () => undefined);
  pipe?.end(filter);
}
