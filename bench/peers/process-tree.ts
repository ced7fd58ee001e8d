import { readdirSync, readFileSync } from 'node:fs';

/** Returns the parent of every process. */
function parents(): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(Number(name));
    if (fields !== undefined) found.set(Number(name), Number(fields[1]));
  }
  return found;
}

/** The fields of proc(5) after the command name, or `undefined` for a process that has ended. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}

/** The given processes with all their descendants. */
function processTree(roots: readonly number[]): readonly number[] {
  const all = parents();
  const isWithin = (pid: number): boolean =>
    roots.includes(pid) || (all.has(pid) && isWithin(all.get(pid) ?? 0));
  return [...all.keys()].filter(isWithin);
}

/** CPU time so far in ms, including that of children that have ended. */
export function treeCpuMs(roots: readonly number[]): number {
  return processTree(roots)
    .map((pid) => statOf(pid) ?? [])
    .map((fields) => fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10)
    .reduce((sum, ms) => sum + ms, 0);
}

/** Memory in MB; pages that processes share are counted once. */
export function treeMemoryMb(roots: readonly number[]): number {
  return processTree(roots)
    .map((pid) => Number(/^Pss: +(\d+)/m.exec(rollupOf(pid))?.[1] ?? 0) / 1024)
    .reduce((sum, mb) => sum + mb, 0);
}

function rollupOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  } catch {
    return '';
  }
}
