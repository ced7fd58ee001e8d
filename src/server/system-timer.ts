import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Timer } from '../ports/clock.ts';

/** Linux: another one after each start of the machine. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * The time since the machine was started, which goes on while it is suspended and while no process of ours runs. Where the
 * system has no name for its start, the time since the process was started.
 */
export function systemTimer(): Timer {
  try {
    return { id: readFileSync(BOOT_ID, 'utf8').trim(), elapsedMs: () => uptime() * 1000 };
  } catch {
    return { id: randomUUID(), elapsedMs: () => performance.now() };
  }
}
