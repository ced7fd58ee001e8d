import { createReadStream, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../command.ts';

const CHUNK_BYTES = 1 << 20;

export interface LocalFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** The regular files of the paths; folders are read recursively, links are not followed. */
export function listFiles(paths: readonly string[]): readonly LocalFile[] {
  return paths.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) throw new CommandError(`there is no file ${path}`);
    if (stats.isDirectory()) return filesBelow(path);
    if (!stats.isFile()) throw new CommandError(`${path} is neither a file nor a folder`);
    return [{ path, sizeBytes: stats.size }];
  });
}

function filesBelow(folder: string): readonly LocalFile[] {
  // Not `recursive: true`, which follows links to folders and so may loop.
  return readdirSync(folder, { withFileTypes: true })
    .sort((one: Dirent, other: Dirent) => (one.name < other.name ? -1 : 1))
    .flatMap((entry: Dirent) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      // The file may have been deleted since the folder was read.
      const stats = entry.isFile() ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
      return stats === undefined ? [] : [{ path, sizeBytes: stats.size }];
    });
}

/**
 * Opens the file at the first read: a stream that fails without a listener would end the process.
 * A small file is read at once: buffers of a mebibyte for each would keep the garbage collector
 * busy.
 */
export async function* readChunks({ path, sizeBytes }: LocalFile): AsyncGenerator<Buffer> {
  if (sizeBytes < CHUNK_BYTES) yield await readFile(path);
  else yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

/** Calls `work` for up to `concurrency` items at once and yields the results in order. */
export async function* mapInOrder<Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  for (const item of items) {
    const result = work(item);
    // A rejection before the `await` below would count as unhandled.
    result.catch(() => undefined);
    pending.push(result);
    const first = pending.length >= concurrency ? pending.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const result of pending) yield await result;
}
