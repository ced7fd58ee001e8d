/** Longer than any command; a longer delay would overflow the timer. */
const FOREVER_MS = 2 ** 31 - 1;

/**
 * Keeps the process running until the work is done. What a command waits for may not do so itself,
 * such as a thread or a timer of the store: Node would end the process with code 13 in between.
 */
export async function keepAlive<Result>(work: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => undefined, FOREVER_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
