import { createReadStream, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command.ts';

const PIECE_BYTES = 1 << 20;

export interface LocalFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** The regular files of those paths, folders with all that lies below; links are not followed. */
export function listFiles(paths: readonly string[]): readonly LocalFile[] {
  return paths.flatMap((path) => {
    const about = lstatSync(path, { throwIfNoEntry: false });
    if (about === undefined) throw new CommandError(`there is no file ${path}`);
    if (about.isDirectory()) return filesBelow(path);
    if (!about.isFile()) throw new CommandError(`${path} is neither a file nor a folder`);
    return [{ path, sizeBytes: about.size }];
  });
}

function filesBelow(folder: string): readonly LocalFile[] {
  // Not Node's own recursion, which follows links to folders: they may lead around in a ring.
  return readdirSync(folder, { withFileTypes: true })
    .sort((one: Dirent, other: Dirent) => (one.name < other.name ? -1 : 1))
    .flatMap((entry: Dirent) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      // It may be gone by now; then there is nothing to do for it.
      const about = entry.isFile() ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
      return about === undefined ? [] : [{ path, sizeBytes: about.size }];
    });
}

/** Opened when it is read: a stream that fails while nobody listens to it yet would end the program. */
export async function* readPieces(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { highWaterMark: PIECE_BYTES });
}

/** Works on several at once, and gives the results in the order of the list. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const under: Promise<Result>[] = [];
  for (const item of items) {
    const result = work(item);
    // Whoever awaits it below sees the failure; until then it is nobody's.
    result.catch(() => undefined);
    under.push(result);
    const first = under.length >= atOnce ? under.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const result of under) yield await result;
}
