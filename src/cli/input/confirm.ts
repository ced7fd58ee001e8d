import { createInterface } from 'node:readline/promises';

interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Whether a question can be asked: both streams are terminals. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Asks on standard error, since standard output has the results. Anything but yes is no, including
 * the end of the input (Ctrl-D). Ctrl-C ends the process, as it does elsewhere.
 */
export async function confirm(
  question: string,
  { input, output }: Streams = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const terminal = createInterface({ input, output, terminal: true });
  // The terminal is in raw mode, so the key sends no signal.
  terminal.on('SIGINT', () => {
    terminal.close();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    return isYes(await terminal.question(`${question} [y/N] `));
  } catch (cause) {
    if ((cause as Error).name !== 'AbortError') throw cause;
    output.write('\n');
    return false;
  } finally {
    terminal.close();
  }
}

export function isYes(answer: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
