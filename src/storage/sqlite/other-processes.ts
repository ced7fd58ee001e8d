import { readFileSync, statSync } from 'node:fs';

/**
 * Lines of /proc/locks: `1: POSIX  ADVISORY  READ 4711 fe:01:131090 1073741826 1073742335`, with
 * the process and, after the device, the inode.
 */
const LOCK = /^\d+: POSIX +ADVISORY +\w+ (\d+) \w+:\w+:(\d+) /gm;

/**
 * The processes that have the database open, for a message: each of them holds a lock on the file.
 * Empty on systems without /proc.
 */
function processesUsing(file: string): readonly number[] {
  try {
    const inode = String(statSync(file).ino);
    const locks = readFileSync('/proc/locks', 'utf8').matchAll(LOCK);
    const pids = [...locks].filter(([, , other]) => other === inode).map(([, pid]) => Number(pid));
    return [...new Set(pids)].filter((pid) => pid !== process.pid);
  } catch {
    return [];
  }
}

/** `process 4711`, or `another process` if it cannot be told. */
export function describeUsers(file: string): string {
  const pids = processesUsing(file);
  return pids.length === 0 ? 'another process' : `process ${pids.join(', ')}`;
}
