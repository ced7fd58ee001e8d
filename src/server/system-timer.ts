import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Timer } from '../ports/clock.ts';

/** Linux: a new id at each boot. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * The time since the boot of the machine. It advances during a suspend and while no process of the
 * server runs. If the system has no boot id, it is the time since the start of the process.
 */
export function systemTimer(): Timer {
  try {
    return { id: readFileSync(BOOT_ID, 'utf8').trim(), elapsedMs: () => uptime() * 1000 };
  } catch {
    return { id: randomUUID(), elapsedMs: () => performance.now() };
  }
}
