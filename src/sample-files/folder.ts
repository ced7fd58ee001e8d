import { access, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushPath } from '../platform/durable-file.ts';
import type { IncomingSample, SampleFiles } from '../ports/sample-files.ts';
import { isAbsent, readPiece, withDiskErrors } from './disk.ts';
import { objectKeyOf } from './object-key.ts';
import { readSealed } from './sealed.ts';
import { FOLDER_MODE, openSpool, type Spool, type SpooledFile } from './spool.ts';

/** Stores samples in a folder as `ab/cd/<sha256>`. Incomplete uploads are in `incoming`. */
export async function openSampleFolder(folder: string): Promise<SampleFiles> {
  return new SampleFolder(folder, await openSpool(join(folder, 'incoming')));
}

/** Reads samples, such as those of a backup. It creates nothing, so the folder may be read-only. */
export function readSampleFolder(folder: string): Pick<SampleFiles, 'read' | 'has'> {
  const has = async (sha256: string) => {
    const path = join(folder, objectKeyOf(sha256));
    return withDiskErrors(async () => !(await isAbsent(access(path))));
  };
  return {
    has,
    // The file is opened by the iteration: without one, no file stays open.
    read: async (sha256) =>
      (await has(sha256)) ? readFile(join(folder, objectKeyOf(sha256)), sha256) : undefined,
  };
}

class SampleFolder implements SampleFiles {
  readonly #folder: string;
  readonly #reader: Pick<SampleFiles, 'read' | 'has'>;
  readonly #spool: Spool;

  constructor(folder: string, spool: Spool) {
    this.#folder = folder;
    this.#reader = readSampleFolder(folder);
    this.#spool = spool;
  }

  async receive(): Promise<IncomingSample> {
    const file = await this.#spool.receive();
    return {
      write: (piece) => file.write(piece),
      keep: async (sha256) => keep(file, this.#pathOf(sha256)),
      discard: () => file.discard(),
    };
  }

  read(sha256: string): Promise<AsyncIterable<Buffer> | undefined> {
    return this.#reader.read(sha256);
  }

  has(sha256: string): Promise<boolean> {
    return this.#reader.has(sha256);
  }

  async remove(sha256: string): Promise<void> {
    const path = this.#pathOf(sha256);
    await withDiskErrors(async () => {
      if (!(await isAbsent(rm(path)))) await flushPath(dirname(path));
    });
  }

  sweep(): Promise<void> {
    return this.#spool.sweep();
  }

  #pathOf(sha256: string): string {
    return join(this.#folder, objectKeyOf(sha256));
  }
}

async function keep(file: SpooledFile, path: string): Promise<void> {
  await withDiskErrors(async () => {
    await makeFolder(dirname(path));
    // Replaces an existing file, which has the same content or is damaged.
    await file.moveTo(path);
  });
}

async function* readFile(path: string, sha256: string): AsyncGenerator<Buffer> {
  const handle = await withDiskErrors(() => open(path, 'r'));
  try {
    yield* readSealed((length) => readPiece(handle, length), sha256);
  } finally {
    await handle.close();
  }
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  // A new folder survives a crash only if its parent was flushed.
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await flushPath(dirname(made));
}
