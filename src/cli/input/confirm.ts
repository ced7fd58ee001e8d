import { createInterface } from 'node:readline/promises';

/** Whether a question can be asked: somebody sits at both ends. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on standard error, since standard output has the results. Anything but yes is no. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return isYes(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}

export function isYes(answer: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
