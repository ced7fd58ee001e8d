import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes on a slow machine that happens at all. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 10;

/** Asks until it is so; the last answer where it never is. */
export async function eventually<Answer>(
  ask: () => Answer | Promise<Answer>,
  isSo: (answer: Answer) => boolean,
  withinMs = PATIENCE_MS,
): Promise<Answer> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isSo(answer) || performance.now() > giveUpAt) return answer;
    await pause(PAUSE_MS);
  }
}

/**
 * Waits for what others do: `holds` must go on to hold, or a slow machine would look too late and
 * wait for ever.
 */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  if (!(await eventually(holds, Boolean))) throw new Error(`waited in vain until ${what}`);
}
