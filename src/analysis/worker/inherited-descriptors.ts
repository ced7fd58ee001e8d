import type { StdioOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** As `/proc` states it, in octal: the descriptor is closed when another program is started. */
const CLOSED_ON_EXEC = 0o2000000;
const FIRST_AFTER_STANDARD = 3;

let known: readonly number[] | undefined;
let nowhere: number | undefined;

/**
 * Descriptors that whoever started this process left open, and that every child would inherit. Node marks its own to be
 * closed. Where there is no `/proc` none is known. They are looked up once: a busy server has thousands of others.
 */
function inheritedDescriptors(): readonly number[] {
  known ??= process.platform === 'linux' ? findInherited() : [];
  return known;
}

function findInherited(): readonly number[] {
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((descriptor) => descriptor >= FIRST_AFTER_STANDARD && isInherited(descriptor))
    .sort((one, other) => one - other);
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(
      readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'),
    )?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
  } catch {
    // The one of the folder that was just read.
    return false;
  }
}

/**
 * The standard streams of a child, with `/dev/null` in place of each inherited descriptor. No program that a shell or
 * util-linux offers can close those above 9, so they are covered here, and closed by the worker when it starts.
 */
export function covered(streams: readonly ('pipe' | 'ignore')[]): StdioOptions {
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= streams.length);
  const stdio: ('pipe' | 'ignore' | number)[] = [...streams];
  if (inherited.length === 0) return stdio;
  nowhere ??= openSync('/dev/null', 'r+');
  for (const descriptor of inherited) {
    while (stdio.length < descriptor) stdio.push('ignore');
    stdio[descriptor] = nowhere;
  }
  return stdio;
}

/** What a worker is told to close, in the words behind its program. */
export function wordsFor(streams: readonly unknown[]): readonly string[] {
  return inheritedDescriptors()
    .filter((descriptor) => descriptor >= streams.length)
    .map(String);
}

export function closeNamed(words: readonly string[]): void {
  for (const word of words) {
    try {
      closeSync(Number(word));
    } catch {
      // Something on the way has closed it already.
    }
  }
}
