import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the server under attack (`--import`): measures the turns of its event loop and
 * appends a line for each window to the file named by `ATTACK_TURNS_FILE`. A due timer runs once in
 * every turn, so the CPU time of the thread between two of its calls is that of the longest turn
 * between them, plus at most the interval.
 */
const INTERVAL_MS = 2;
const WINDOW_MS = 100;

export interface TurnWindow {
  readonly at: number;
  /** CPU time of this thread, which excludes waiting for the disk. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

const file = process.env['ATTACK_TURNS_FILE'];
const isServer = isMainThread && process.argv.includes('serve');
if (file !== undefined && isServer) measure(file);

function measure(path: string): void {
  let last = now();
  let longest = { cpuMs: 0, wallMs: 0 };
  let writtenAt = last.wallMs;
  const sample = () => {
    const current = now();
    longest = {
      cpuMs: Math.max(longest.cpuMs, current.cpuMs - last.cpuMs),
      wallMs: Math.max(longest.wallMs, current.wallMs - last.wallMs),
    };
    last = current;
    if (current.wallMs - writtenAt < WINDOW_MS) return;
    appendFileSync(path, `${JSON.stringify({ at: Date.now(), ...longest })}\n`);
    writtenAt = current.wallMs;
    longest = { cpuMs: 0, wallMs: 0 };
    // Writing is not part of the next turn.
    last = now();
  };
  setInterval(sample, INTERVAL_MS).unref();
}

function now() {
  const { user, system } = process.threadCpuUsage();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() };
}
