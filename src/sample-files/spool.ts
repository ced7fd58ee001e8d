import { type Cipheriv, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { renameFile } from '../platform/durable-file.ts';
import { isAbsent, reachDisk, readPiece } from './disk.ts';
import { newSeal } from './sealed.ts';

const STALE_AFTER_MS = 3_600_000;
const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/**
 * Samples that are still arriving, each in a file of that folder, sealed from its first byte on. The name of a sample is
 * known only after its last byte; until then it has one of chance.
 */
export async function openSpool(folder: string): Promise<Spool> {
  await reachDisk(() => mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
  return new Spool(folder);
}

export class Spool {
  readonly #folder: string;
  /** Begins the names of what this process receives, so that it knows its own. */
  readonly #mark = randomBytes(8).toString('hex');
  readonly #live = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async receive(): Promise<SpooledFile> {
    const name = `${this.#mark}-${randomBytes(8).toString('hex')}`;
    // Before there is a file: a sweep must not take it for a leftover.
    this.#live.add(name);
    const ended = () => this.#live.delete(name);
    try {
      return await SpooledFile.begin(join(this.#folder, name), ended);
    } catch (cause) {
      ended();
      throw cause;
    }
  }

  /** Removes what a crash has left, but not what another process may still be receiving. */
  sweep(): Promise<void> {
    const staleBefore = Date.now() - STALE_AFTER_MS;
    return reachDisk(async () => {
      for (const name of await readdir(this.#folder)) {
        if (this.#live.has(name)) continue;
        const file = join(this.#folder, name);
        if (name.startsWith(this.#mark) || (await changedAt(file)) < staleBefore)
          await rm(file, { force: true });
      }
    });
  }
}

export class SpooledFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #cipher: Cipheriv;
  /** Called when the file is gone from the folder, in whichever way. */
  readonly #ended: () => void;
  #sizeBytes = 0;
  #isOpen = true;

  private constructor(path: string, handle: FileHandle, cipher: Cipheriv, ended: () => void) {
    this.#path = path;
    this.#handle = handle;
    this.#cipher = cipher;
    this.#ended = ended;
  }

  static begin(path: string, ended: () => void): Promise<SpooledFile> {
    return reachDisk(async () => {
      const handle = await open(path, 'wx+', FILE_MODE);
      const { header, cipher } = newSeal();
      const file = new SpooledFile(path, handle, cipher, ended);
      try {
        await file.#append(header);
      } catch (cause) {
        await file.discard();
        throw cause;
      }
      return file;
    });
  }

  /** As it lies there: with its header. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  write(piece: Uint8Array): Promise<void> {
    return this.#append(this.#cipher.update(piece));
  }

  /** So many sealed bytes from there on, or what is left. */
  read(at: number, length: number): Promise<Buffer> {
    return readPiece(this.#handle, length, at);
  }

  /** Durably under another name of the same disk; over what is there. */
  async moveTo(path: string): Promise<void> {
    await reachDisk(async () => {
      await this.#handle.sync();
      await this.#close();
      await renameFile(this.#path, path);
    });
    this.#ended();
  }

  /** Does nothing once it has been moved. */
  async discard(): Promise<void> {
    await reachDisk(async () => {
      try {
        await this.#close();
      } finally {
        await rm(this.#path, { force: true });
        this.#ended();
      }
    });
  }

  async #append(sealed: Buffer): Promise<void> {
    await reachDisk(() => this.#handle.appendFile(sealed));
    this.#sizeBytes += sealed.length;
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

/** When it was last written to; in the far future where it has just gone. */
async function changedAt(file: string): Promise<number> {
  let changed = Number.POSITIVE_INFINITY;
  await isAbsent(
    stat(file).then(({ mtimeMs }) => {
      changed = mtimeMs;
    }),
  );
  return changed;
}
