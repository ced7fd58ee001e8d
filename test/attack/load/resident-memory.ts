import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const SAMPLE_MS = 50;

/** The resident memory of a process, in bytes. Linux only. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

/** The highest resident memory of a process while `work` runs and for a while after it. */
export async function peakDuring(
  pid: number,
  work: () => Promise<unknown>,
  afterMs = 0,
): Promise<number> {
  let peak = residentBytes(pid);
  let isDone = false;
  const measure = async () => {
    while (!isDone) {
      peak = Math.max(peak, residentBytes(pid));
      await pause(SAMPLE_MS);
    }
  };
  const measured = measure();
  try {
    await work();
    await pause(afterMs);
  } finally {
    isDone = true;
    await measured;
  }
  return peak;
}
