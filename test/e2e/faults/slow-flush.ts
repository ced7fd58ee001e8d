import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The system calls with which SQLite and PostgreSQL flush files. */
const FLUSHES = 'fsync,fdatasync,sync_file_range';
const TRACER = 'strace';

/** Why flushes cannot be delayed here. */
export function whyNoSlowFlush(): string | false {
  const { status } = spawnSync(TRACER, ['-qq', '-o', '/dev/null', '-e', 'trace=none', 'true'], {
    stdio: 'ignore',
  });
  return status === 0 ? false : `needs ${TRACER}, and permission to trace processes`;
}

export interface SlowFlushes {
  /** The delay of each flush. */
  readonly delayMs: number;
  readonly forMs: number;
}

/** Delays every flush of a process and of its children for a while, as a busy disk does. */
export async function slowFlushes(pid: number, { delayMs, forMs }: SlowFlushes): Promise<void> {
  const tracer = spawn(
    TRACER,
    [
      ...['-qq', '-f', '-o', '/dev/null', '-e', `trace=${FLUSHES}`],
      ...['-e', `inject=${FLUSHES}:delay_enter=${delayMs * 1000}`],
      ...[pid, ...childrenOf(pid)].flatMap((one) => ['-p', String(one)]),
    ],
    { stdio: 'ignore' },
  );
  const exited = once(tracer, 'exit');
  await pause(forMs);
  // On SIGINT it detaches from the processes, which continue.
  tracer.kill('SIGINT');
  await exited;
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );
}
