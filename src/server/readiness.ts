import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { Problem } from '../domain/problem.ts';
import type { Log } from '../observability/log.ts';
import { Recent } from '../observability/recent.ts';
import { findOffset } from '../operations/check-clock.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { dataFolders } from './data-folders.ts';

/** Below it not even a small upload and the log of the database find room. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;
/** However often somebody asks, the disks are looked at no more often than this. */
const FRESH_MS = 2000;
/** A file system that does not answer by then, such as one across a network, cannot be written to either. */
const PATIENCE_MS = 1000;

interface ReadinessDependencies {
  readonly store: Pick<Store, 'checkWrite'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error' | 'info'>;
}

/** Why this node should get no calls although its store answers. */
export class Readiness {
  readonly #deps: ReadinessDependencies;
  readonly #disks: Recent<DiskState>;
  #diskFault: string | undefined;

  constructor(
    config: Pick<Config, 'dataDir' | 'database' | 'samples'>,
    deps: ReadinessDependencies,
  ) {
    this.#deps = deps;
    const folders = dataFolders(config).map(({ folder }) => folder);
    const look = () => lookAtDisks(folders, deps.store);
    this.#disks = new Recent(look, { freshMs: FRESH_MS, patienceMs: PATIENCE_MS });
  }

  async whyNotReady(): Promise<Problem | undefined> {
    const offset = findOffset(this.#deps.clock);
    if (offset !== undefined) {
      const seconds = Math.round(Math.abs(offset.driftMs) / 1000);
      return new Problem('clock_wrong', { words: { seconds }, retryAfterSeconds: 5 });
    }
    const { fault } = (await this.#disks.read()) ?? { fault: 'a disk does not answer' };
    this.#tell(fault);
    return fault === undefined ? undefined : new Problem('disk_full', { retryAfterSeconds: 5 });
  }

  /** Callers are not told which folder it is; whoever reads the log is, once. */
  #tell(fault: string | undefined): void {
    const { log } = this.#deps;
    if (fault !== undefined && this.#diskFault === undefined) log.error({ fault }, 'not ready');
    if (fault === undefined && this.#diskFault !== undefined) log.info('ready again');
    this.#diskFault = fault;
  }
}

interface DiskState {
  readonly fault: string | undefined;
}

/** Nothing is written unless the last write of the store has failed: then one is tried, which tells when that is over. */
async function lookAtDisks(
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
    return { fault: `the store cannot be written to: ${message}` };
  }
}

async function faultOf(folder: string): Promise<string | undefined> {
  try {
    // Fails where the file system has turned read-only.
    await access(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize, files, ffree } = await statfs(folder);
    if (bavail * bsize < LEAST_FREE_BYTES) return `only ${bavail * bsize} bytes are free`;
    // Some file systems do not count files.
    return files > 0 && ffree === 0 ? 'no more files can be made' : undefined;
  } catch (cause) {
    return (cause as Error).message;
  }
}
