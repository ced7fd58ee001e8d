import { createHash, randomBytes } from 'node:crypto';
import { access, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Problem } from '../domain/problem.ts';
import { DamagedSample, type IncomingSample, type SampleFiles } from '../ports/sample-files.ts';
import { HEADER_BYTES, newSeal, openSeal } from './sealed.ts';

const PIECE_BYTES = 256 * 1024;
const STALE_AFTER_MS = 3_600_000;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const SHA256 = /^[0-9a-f]{64}$/;

/** Samples in that folder, as `ab/cd/<sha256>`. What is being received stands in `incoming` until it is whole. */
export async function openSampleFolder(folder: string): Promise<SampleFiles> {
  await reachDisk(() => mkdir(join(folder, 'incoming'), { recursive: true, mode: FOLDER_MODE }));
  return new SampleFolder(folder);
}

class SampleFolder implements SampleFiles {
  readonly #folder: string;
  readonly #incoming: string;
  /** Begins the names of what this process receives, so that it knows its own. */
  readonly #mark = randomBytes(8).toString('hex');
  readonly #live = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, 'incoming');
  }

  async receive(): Promise<IncomingSample> {
    const name = `${this.#mark}-${randomBytes(8).toString('hex')}`;
    const file = join(this.#incoming, name);
    // Before there is a file: a sweep must not take it for a leftover.
    this.#live.add(name);
    try {
      return await Incoming.begin(file, {
        placeOf: (sha256) => this.#pathOf(sha256),
        ended: () => this.#live.delete(name),
      });
    } catch (cause) {
      this.#live.delete(name);
      throw cause;
    }
  }

  async read(sha256: string): Promise<AsyncIterable<Buffer> | undefined> {
    const path = this.#pathOf(sha256);
    // Opened by whoever iterates: nothing stays open where nobody does.
    return (await this.has(sha256)) ? readSealed(path, sha256) : undefined;
  }

  async has(sha256: string): Promise<boolean> {
    const path = this.#pathOf(sha256);
    return reachDisk(async () => !(await isAbsent(access(path))));
  }

  async remove(sha256: string): Promise<void> {
    const path = this.#pathOf(sha256);
    await reachDisk(async () => {
      if (!(await isAbsent(rm(path)))) await flushFolder(dirname(path));
    });
  }

  sweep(): Promise<void> {
    const staleBefore = Date.now() - STALE_AFTER_MS;
    return reachDisk(async () => {
      for (const name of await readdir(this.#incoming)) {
        if (this.#live.has(name)) continue;
        const file = join(this.#incoming, name);
        if (name.startsWith(this.#mark) || (await changedAt(file)) < staleBefore)
          await rm(file, { force: true });
      }
    });
  }

  /** Nothing else than a hash ever becomes part of a path. */
  #pathOf(sha256: string): string {
    if (!SHA256.test(sha256)) throw new Error('a sample was asked for by what is no SHA-256');
    return join(this.#folder, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  }
}

interface Place {
  placeOf(sha256: string): string;
  /** Its temporary file is gone, in whichever way. */
  ended(): void;
}

class Incoming implements IncomingSample {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #seal: (piece: Uint8Array) => Buffer;
  readonly #place: Place;
  #isOpen = true;

  private constructor(
    file: string,
    place: Place,
    { handle, seal }: { handle: FileHandle; seal: (piece: Uint8Array) => Buffer },
  ) {
    this.#file = file;
    this.#handle = handle;
    this.#seal = seal;
    this.#place = place;
  }

  static begin(file: string, place: Place): Promise<Incoming> {
    return reachDisk(async () => {
      const handle = await open(file, 'wx', FILE_MODE);
      const { header, cipher } = newSeal();
      const incoming = new Incoming(file, place, { handle, seal: (piece) => cipher.update(piece) });
      try {
        await handle.appendFile(header);
      } catch (cause) {
        await incoming.discard();
        throw cause;
      }
      return incoming;
    });
  }

  write(piece: Uint8Array): Promise<void> {
    return reachDisk(() => this.#handle.appendFile(this.#seal(piece)));
  }

  async keep(sha256: string): Promise<void> {
    const path = this.#place.placeOf(sha256);
    await reachDisk(async () => {
      await this.#handle.sync();
      await this.#close();
      await makeFolder(dirname(path));
      // Over one that is there already: it is the same, or was damaged.
      await rename(this.#file, path);
      this.#place.ended();
      await flushFolder(dirname(path));
    });
  }

  async discard(): Promise<void> {
    await reachDisk(async () => {
      try {
        await this.#close();
      } finally {
        await rm(this.#file, { force: true });
        this.#place.ended();
      }
    });
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

async function* readSealed(path: string, sha256: string): AsyncGenerator<Buffer> {
  const handle = await reachDisk(() => open(path, 'r'));
  try {
    const decipher = openSeal(await readPiece(handle, HEADER_BYTES));
    if (decipher === undefined)
      throw new DamagedSample(`${sha256} does not begin as a sample does`);
    const hash = createHash('sha256');
    // One piece behind: the last is given out when all of them are known to be right.
    let held: Buffer | undefined;
    for (;;) {
      const sealed = await readPiece(handle, PIECE_BYTES);
      if (sealed.length === 0) break;
      if (held !== undefined) yield held;
      held = decipher.update(sealed);
      hash.update(held);
    }
    if (hash.digest('hex') !== sha256) throw new DamagedSample(`${sha256} has other bytes`);
    if (held !== undefined) yield held;
  } finally {
    await handle.close();
  }
}

/** So many bytes, or what is left. */
async function readPiece(handle: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await reachDisk(() => handle.read(buffer, filled, length - filled));
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  // What is new in a folder is there after a crash only if that folder was flushed.
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await flushFolder(dirname(made));
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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

async function isAbsent(done: Promise<unknown>): Promise<boolean> {
  try {
    await done;
    return false;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return true;
    throw cause;
  }
}

/** A disk that is full, failing or gone: the caller may try again, and is told so. */
async function reachDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Error && 'syscall' in cause)
      throw new Problem('unavailable', { cause, retryAfterSeconds: 1 });
    throw cause;
  }
}
