import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MIB = 1024 * 1024;
const BALLAST = 'ballast';

/** A tmpfs of limited size, mounted on a folder. */
export class SmallDisk {
  readonly #folder: string;
  readonly #unmount: () => void;

  constructor(folder: string, sizeMib: number, mode = 0o755) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    call(
      'mount',
      '-t',
      'tmpfs',
      '-o',
      `size=${sizeMib}m,mode=${mode.toString(8)}`,
      'rapsheet-test',
      folder,
    );
    // Lazy: the mount ends when no process uses it any more.
    this.#unmount = () => call('umount', '--lazy', folder);
    process.once('exit', this.#unmount);
  }

  get freeMib(): number {
    const { bavail, bsize } = statfsSync(this.#folder);
    return Math.floor((bavail * bsize) / MIB);
  }

  /** Writes a file that `removeBallast` removes. */
  addBallast(sizeMib: number): void {
    try {
      writeFileSync(join(this.#folder, BALLAST), Buffer.alloc(sizeMib * MIB, 1));
    } catch (cause) {
      // The server writes at the same time: the disk is full before the ballast has its size.
      if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') throw cause;
    }
  }

  removeBallast(): void {
    rmSync(join(this.#folder, BALLAST));
  }

  remove(): void {
    process.off('exit', this.#unmount);
    this.#unmount();
  }
}

/** Why a small disk cannot be mounted here. */
export function whyNoSmallDisk(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-disk-'));
  try {
    new SmallDisk(folder, 1).remove();
    return false;
  } catch {
    return 'needs permission to mount a tmpfs';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function call(program: string, ...args: readonly string[]): void {
  execFileSync(program, [...args], { stdio: 'ignore' });
}
