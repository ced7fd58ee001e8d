import { setTimeout as pause } from 'node:timers/promises';

/** Longer than any expected event takes on a slow machine. */
const TIMEOUT_MS = 120_000;
const PAUSE_MS = 10;

/** Polls until the condition holds or the time is over, and returns the last value. */
export async function eventually<Value>(
  poll: () => Value | Promise<Value>,
  condition: (value: Value) => boolean,
  withinMs = TIMEOUT_MS,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await poll();
    if (condition(value) || performance.now() > deadline) return value;
    await pause(PAUSE_MS);
  }
}

const DAY_MS = 86_400_000;

/** For tests that name today: waits for tomorrow if the day (UTC) ends while they run. */
export async function awayFromMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < TIMEOUT_MS) await pause(leftMs + 1000);
}

/** Waits for a condition that stays true once it is true; polling could miss a temporary one. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  if (!(await eventually(holds, Boolean))) throw new Error(`timed out waiting until ${what}`);
}
