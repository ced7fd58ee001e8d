import type { StdioOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** `O_CLOEXEC`, as `/proc` shows it in octal. */
const O_CLOEXEC = 0o2000000;
const FIRST_AFTER_STANDARD = 3;

let cached: readonly number[] | undefined;
let devNull: number | undefined;

/**
 * Descriptors that the parent process left open without `O_CLOEXEC`, so that every child would
 * inherit them. Node sets the flag on its own. Without `/proc` none is known. They are read once: a
 * busy server has thousands of other descriptors.
 */
function inheritedDescriptors(): readonly number[] {
  cached ??= process.platform === 'linux' ? findInherited() : [];
  return cached;
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
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor of the directory listing itself, closed by now.
    return false;
  }
}

/**
 * The standard streams of a child, with `/dev/null` at each inherited descriptor. Shells and
 * util-linux cannot close descriptors above 9, so they are replaced here and closed by the worker
 * at its start.
 */
export function stdioWithoutInherited(streams: readonly ('pipe' | 'ignore')[]): StdioOptions {
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= streams.length);
  const stdio: ('pipe' | 'ignore' | number)[] = [...streams];
  if (inherited.length === 0) return stdio;
  devNull ??= openSync('/dev/null', 'r+');
  for (const descriptor of inherited) {
    while (stdio.length < descriptor) stdio.push('ignore');
    stdio[descriptor] = devNull;
  }
  return stdio;
}

/** The command-line arguments that name the descriptors for the worker to close. */
export function descriptorArguments(streams: readonly unknown[]): readonly string[] {
  return inheritedDescriptors()
    .filter((descriptor) => descriptor >= streams.length)
    .map(String);
}

export function closeDescriptors(names: readonly string[]): void {
  for (const name of names) {
    try {
      closeSync(Number(name));
    } catch {
      // Already closed by a program of the command chain.
    }
  }
}
