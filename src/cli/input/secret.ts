import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** More than any token, and little enough for a wrong file in the pipe. */
const MAX_CHARACTERS = 4096;

/**
 * Asks on standard error for a text that the terminal does not show. Returns `undefined` at the end
 * of the input (Ctrl-D). Ctrl-C ends the process, as it does elsewhere.
 */
export async function askSecret(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string | undefined> {
  // In raw mode the terminal shows nothing by itself, and what the interface writes is discarded.
  const silent = new Writable({ write: (_part, _encoding, done) => done() });
  const terminal = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  terminal.on('SIGINT', () => {
    terminal.close();
    process.kill(process.pid, 'SIGINT');
  });
  output.write(question);
  try {
    return (await terminal.question('')).trim();
  } catch (cause) {
    if ((cause as Error).name !== 'AbortError') throw cause;
    return undefined;
  } finally {
    terminal.close();
    output.write('\n');
  }
}

/** Reads a secret from a pipe. Text after the first characters is not read. */
export async function readSecret(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const part of input) {
    text += String(part);
    if (text.length > MAX_CHARACTERS) break;
  }
  return text.trim();
}
