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
 * Where control groups for the processor are, of either version:
 * https://docs.kernel.org/admin-guide/cgroup-v2.html
 */
const VERSION_1 = '/sys/fs/cgroup/cpu';
const VERSION_2 = '/sys/fs/cgroup';

/** Short, so that a process which has had its share waits for milliseconds. */
const PERIOD_US = 10_000;

/**
 * Gives a process a share of a core and no more. On a machine with few cores it then has room
 * beside it, as it would have on a machine with many.
 */
export class CpuShare {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** `undefined` where groups cannot be made: that takes root, and a kernel that has them. */
  static of(pid: number, share: number): CpuShare | undefined {
    const isFirst = existsSync(join(VERSION_1, 'cpu.cfs_quota_us'));
    const folder = join(isFirst ? VERSION_1 : VERSION_2, `rapsheet-bench-${pid}`);
    try {
      mkdirSync(folder);
      const quota = Math.round(PERIOD_US * share);
      if (isFirst) {
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

  /** Once the process has ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}

/** The processes that one has started, not those that these have started. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
}
