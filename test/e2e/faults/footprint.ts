import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Resources of a process. */
export interface Footprint {
  readonly sockets: number;
  readonly rssBytes: number;
}

export const hasProc = process.platform === 'linux';

export function footprintOf(pid: number): Footprint {
  const folder = `/proc/${pid}/fd`;
  const sockets = readdirSync(folder).filter((name) => isSocket(`${folder}/${name}`)).length;
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { sockets, rssBytes: Number(kib) * 1024 };
}

/**
 * Whether a process is back at its earlier footprint, with a margin for idle connections and heap.
 */
export function hasRecovered(now: Footprint, before: Footprint, spareSockets: number): boolean {
  return now.sockets <= before.sockets + spareSockets && now.rssBytes <= before.rssBytes * 1.5;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // The file descriptor has been closed.
    return false;
  }
}
