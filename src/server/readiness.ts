import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { Problem } from '../domain/problem.ts';
import { CachedQuery } from '../observability/cached-query.ts';
import type { Log } from '../observability/log.ts';
import { findOffset } from '../operations/check-clock.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { dataFolders } from './data-folders.ts';

/** With less, a small upload and the log of the database have no room. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;
/** The disks are checked no more often than this. */
const MAX_AGE_MS = 2000;
/** A file system, such as one on a network, that takes longer counts as not writable. */
const TIMEOUT_MS = 1000;

interface ReadinessDependencies {
  readonly store: Pick<Store, 'checkWrite'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error' | 'info'>;
}

/** Decides whether this node should get requests. The store itself is checked by `/readyz`. */
export class Readiness {
  readonly #deps: ReadinessDependencies;
  readonly #disks: CachedQuery<DiskState>;
  #diskFault: string | undefined;

  constructor(
    config: Pick<Config, 'dataDir' | 'database' | 'samples'>,
    deps: ReadinessDependencies,
  ) {
    this.#deps = deps;
    const folders = dataFolders(config).map(({ folder }) => folder);
    const check = () => checkDisks(folders, deps.store);
    this.#disks = new CachedQuery(check, { maxAgeMs: MAX_AGE_MS, timeoutMs: TIMEOUT_MS });
  }

  async whyNotReady(): Promise<Problem | undefined> {
    const offset = findOffset(this.#deps.clock);
    if (offset !== undefined) {
      const seconds = Math.round(Math.abs(offset.driftMs) / 1000);
      return new Problem('clock_wrong', { parameters: { seconds }, retryAfterSeconds: 5 });
    }
    const { fault } = (await this.#disks.read()) ?? { fault: 'a disk does not respond' };
    this.#logChange(fault);
    return fault === undefined ? undefined : new Problem('disk_full', { retryAfterSeconds: 5 });
  }

  /** The log names the folder; the response does not. */
  #logChange(fault: string | undefined): void {
    const { log } = this.#deps;
    if (fault !== undefined && this.#diskFault === undefined) log.error({ fault }, 'not ready');
    if (fault === undefined && this.#diskFault !== undefined) log.info('ready again');
    this.#diskFault = fault;
  }
}

interface DiskState {
  readonly fault: string | undefined;
}

/** Writes only if the last write of the store failed, to find out whether the fault is over. */
async function checkDisks(
  folders: readonly string[],
  store: Pick<Store, 'checkWrite'>,
): Promise<DiskState> {
  for (const folder of folders) {
    const fault = await faultOf(folder);
    if (fault !== undefined) return { fault: `${folder}: ${fault}` };
  }
  try {
    await store.checkWrite();
    return { fault: undefined };
  } catch (cause) {
    const { message } = (cause instanceof Problem ? cause.cause : cause) as Error;
    return { fault: `the store is not writable: ${message}` };
  }
}

async function faultOf(folder: string): Promise<string | undefined> {
  try {
    // Fails if the file system has become read-only.
    await access(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize, files, ffree } = await statfs(folder);
    if (bavail * bsize < MIN_FREE_BYTES) return `only ${bavail * bsize} bytes are free`;
    // Some file systems have no limit of files.
    return files > 0 && ffree === 0 ? 'no more files can be created' : undefined;
  } catch (cause) {
    return (cause as Error).message;
  }
}
