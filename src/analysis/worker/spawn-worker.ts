import { type ChildProcess, spawn } from 'node:child_process';
import { descriptorArguments, stdioWithoutInherited } from './inherited-descriptors.ts';

/** Requests, nothing, standard error, responses. */
const STREAMS = ['pipe', 'ignore', 'pipe', 'pipe'] as const;

/** Starts the process of a worker, which waits for its modules. Throws if the system cannot. */
export function spawnWorker([program = '', ...programArguments]: readonly string[]): ChildProcess {
  return spawn(program, [...programArguments, ...descriptorArguments(STREAMS)], {
    // An empty environment: no settings and no secrets of ours.
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: stdioWithoutInherited(STREAMS),
    detached: true,
  });
}
