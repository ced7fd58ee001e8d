import { setTimeout as pause } from 'node:timers/promises';

/** Far beyond what the slowest machine takes: what does not hold by then never will. */
const LIMIT_MS = 60_000;

/** Waits for what others do: `holds` must go on to hold, or a slow machine would look too late and wait for ever. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
    await pause(5);
  }
}
