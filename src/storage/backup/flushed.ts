import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;
const PIECE_BYTES = 1 << 20;

/** A new file, on the disk when this returns. One that is there already is left as it is, and this fails. */
export async function writeNew(
  file: string,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  const handle = await open(file, 'wx', OWNER_ONLY);
  try {
    for await (const piece of pieces) await handle.appendFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await flush(dirname(file));
}

/** What was written by somebody else, or what is in a folder. */
export async function flush(path: string): Promise<void> {
  const handle: FileHandle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a finished file its name. Unlike renaming it never takes the place of another. */
export async function putInPlace(file: string, place: string): Promise<void> {
  await link(file, place);
  await unlink(file);
  await flush(dirname(place));
}

export async function* readPieces(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file, { highWaterMark: PIECE_BYTES });
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readPieces(file)) hash.update(piece);
  return hash.digest('hex');
}
