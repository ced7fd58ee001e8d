import { type Cipheriv, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '../domain/duration.ts';
import { renameFile } from '../platform/durable-file.ts';
import { isAbsent, readPiece, withDiskErrors } from './disk.ts';
import { newSeal } from './sealed.ts';

const STALE_AFTER_MS = HOUR_MS;
const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/**
 * Incomplete uploads, each in a file of that folder and in its stored form from the first byte. The
 * hash is known only after the last byte, so the files have random names.
 */
export async function openSpool(folder: string): Promise<Spool> {
  await withDiskErrors(() => mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
  return new Spool(folder);
}

export class Spool {
  readonly #folder: string;
  /** The prefix of the files of this process. */
  readonly #prefix = randomBytes(8).toString('hex');
  readonly #receiving = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async receive(): Promise<SpooledFile> {
    const name = `${this.#prefix}-${randomBytes(8).toString('hex')}`;
    // Added before the file exists, so that a sweep cannot remove it.
    this.#receiving.add(name);
    const ended = () => this.#receiving.delete(name);
    try {
      return await SpooledFile.begin(join(this.#folder, name), ended);
    } catch (cause) {
      ended();
      throw cause;
    }
  }

  /** Removes the files that a crash left, but not those that another process may be receiving. */
  sweep(): Promise<void> {
    const staleBefore = Date.now() - STALE_AFTER_MS;
    return withDiskErrors(async () => {
      for (const name of await readdir(this.#folder)) {
        if (this.#receiving.has(name)) continue;
        const file = join(this.#folder, name);
        if (name.startsWith(this.#prefix) || (await changedAt(file)) < staleBefore)
          await rm(file, { force: true });
      }
    });
  }
}

export class SpooledFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #cipher: Cipheriv;
  /** Called when the file has left the folder. */
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
    return withDiskErrors(async () => {
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

  /** Including the header. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  write(piece: Uint8Array): Promise<void> {
    return this.#append(this.#cipher.update(piece));
  }

  /** Reads stored bytes from that offset: as many, or fewer at the end. */
  read(at: number, length: number): Promise<Buffer> {
    return readPiece(this.#handle, length, at);
  }

  /** Flushes the file and moves it on the same disk, over an existing one. */
  async moveTo(path: string): Promise<void> {
    await withDiskErrors(async () => {
      await this.#handle.sync();
      await this.#close();
      await renameFile(this.#path, path);
    });
    this.#ended();
  }

  /** Does nothing once it has been moved. */
  async discard(): Promise<void> {
    await withDiskErrors(async () => {
      try {
        await this.#close();
      } finally {
        await rm(this.#path, { force: true });
        this.#ended();
      }
    });
  }

  async #append(sealed: Buffer): Promise<void> {
    await withDiskErrors(() => this.#handle.appendFile(sealed));
    this.#sizeBytes += sealed.length;
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

/** The time of the last write; infinite if the file was removed meanwhile. */
async function changedAt(file: string): Promise<number> {
  let changed = Number.POSITIVE_INFINITY;
  await isAbsent(
    stat(file).then(({ mtimeMs }) => {
      changed = mtimeMs;
    }),
  );
  return changed;
}
