import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process takes of the machine. */
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
 * Whether it is as it was, but for a few connections that are kept for the next call, and what a
 * heap keeps.
 */
export function hasRecovered(now: Footprint, before: Footprint, spareSockets: number): boolean {
  return now.sockets <= before.sockets + spareSockets && now.rssBytes <= before.rssBytes * 1.5;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // Closed meanwhile.
    return false;
  }
}
