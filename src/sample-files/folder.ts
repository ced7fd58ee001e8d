import { access, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushPath } from '../platform/durable-file.ts';
import type { IncomingSample, SampleFiles } from '../ports/sample-files.ts';
import { isAbsent, reachDisk, readPiece } from './disk.ts';
import { placeOf } from './object-key.ts';
import { readSealed } from './sealed.ts';
import { FOLDER_MODE, openSpool, type Spool, type SpooledFile } from './spool.ts';

/** Samples in that folder, as `ab/cd/<sha256>`. What is being received stands in `incoming` until it is whole. */
export async function openSampleFolder(folder: string): Promise<SampleFiles> {
  return new SampleFolder(folder, await openSpool(join(folder, 'incoming')));
}

/** Samples that are only read, as those of a backup: nothing is made there, so it may be write-protected. */
export function readSampleFolder(folder: string): Pick<SampleFiles, 'read' | 'has'> {
  const has = async (sha256: string) => {
    const path = join(folder, placeOf(sha256));
    return reachDisk(async () => !(await isAbsent(access(path))));
  };
  return {
    has,
    // Opened by whoever iterates: nothing stays open where nobody does.
    read: async (sha256) =>
      (await has(sha256)) ? readFile(join(folder, placeOf(sha256)), sha256) : undefined,
  };
}

class SampleFolder implements SampleFiles {
  readonly #folder: string;
  readonly #kept: Pick<SampleFiles, 'read' | 'has'>;
  readonly #spool: Spool;

  constructor(folder: string, spool: Spool) {
    this.#folder = folder;
    this.#kept = readSampleFolder(folder);
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
    return this.#kept.read(sha256);
  }

  has(sha256: string): Promise<boolean> {
    return this.#kept.has(sha256);
  }

  async remove(sha256: string): Promise<void> {
    const path = this.#pathOf(sha256);
    await reachDisk(async () => {
      if (!(await isAbsent(rm(path)))) await flushPath(dirname(path));
    });
  }

  sweep(): Promise<void> {
    return this.#spool.sweep();
  }

  #pathOf(sha256: string): string {
    return join(this.#folder, placeOf(sha256));
  }
}

async function keep(file: SpooledFile, path: string): Promise<void> {
  await reachDisk(async () => {
    await makeFolder(dirname(path));
    // Over one that is there already: it is the same, or was damaged.
    await file.moveTo(path);
  });
}

async function* readFile(path: string, sha256: string): AsyncGenerator<Buffer> {
  const handle = await reachDisk(() => open(path, 'r'));
  try {
    yield* readSealed((length) => readPiece(handle, length), sha256);
  } finally {
    await handle.close();
  }
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  // What is new in a folder is there after a crash only if that folder was flushed.
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await flushPath(dirname(made));
}
