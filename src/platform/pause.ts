import { setTimeout } from 'node:timers/promises';

interface PauseOptions {
  /** Whether the process stays alive for the pause. */
  readonly ref?: boolean;
}

/** Resolves after that time, or as soon as the signal aborts. It never rejects. */
export async function pause(
  ms: number,
  signal: AbortSignal,
  { ref = false }: PauseOptions = {},
): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal, ref });
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}
