import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MIB = 1024 * 1024;
const BALLAST = 'ballast';

/**
 * A file system of its own over that folder, of so many MiB, in memory: it is really full when it
 * is.
 */
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
    // Whatever still uses it: it goes when they do.
    this.#unmount = () => call('umount', '--lazy', folder);
    process.once('exit', this.#unmount);
  }

  get freeMib(): number {
    const { bavail, bsize } = statfsSync(this.#folder);
    return Math.floor((bavail * bsize) / MIB);
  }

  /** Something that can be thrown away later. */
  addBallast(sizeMib: number): void {
    writeFileSync(join(this.#folder, BALLAST), Buffer.alloc(sizeMib * MIB, 1));
  }

  removeBallast(): void {
    rmSync(join(this.#folder, BALLAST));
  }

  remove(): void {
    process.off('exit', this.#unmount);
    this.#unmount();
  }
}

/** Why there can be no such disk here. */
export function whyNoSmallDisk(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-disk-'));
  try {
    new SmallDisk(folder, 1).remove();
    return false;
  } catch {
    return 'only a user who may mount can have a small disk';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function call(program: string, ...args: readonly string[]): void {
  execFileSync(program, [...args], { stdio: 'ignore' });
}
