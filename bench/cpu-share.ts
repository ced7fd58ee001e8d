import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * The mount points of CPU control groups, version 1 and 2:
 * https://docs.kernel.org/admin-guide/cgroup-v2.html
 */
const VERSION_1 = '/sys/fs/cgroup/cpu';
const VERSION_2 = '/sys/fs/cgroup';

/** Short, so that a process that has used its share waits only milliseconds. */
const PERIOD_US = 10_000;

/**
 * Limits a process to a fraction of a core. On a machine with few cores this leaves CPU time for
 * other processes, as a machine with many cores would.
 */
export class CpuShare {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns `undefined` if the group cannot be created, which needs root and kernel support. */
  static of(pid: number, share: number): CpuShare | undefined {
    const isVersion1 = existsSync(join(VERSION_1, 'cpu.cfs_quota_us'));
    const folder = join(isVersion1 ? VERSION_1 : VERSION_2, `rapsheet-bench-${pid}`);
    try {
      mkdirSync(folder);
      const quota = Math.round(PERIOD_US * share);
      if (isVersion1) {
        writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US));
        writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
      } else writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`);
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
    } catch {
      if (existsSync(folder)) rmdirSync(folder);
      return undefined;
    }
    return new CpuShare(folder);
  }

  /** The process must have ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}

/** Returns the direct children of a process. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
}
