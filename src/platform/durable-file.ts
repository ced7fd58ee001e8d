import { randomBytes } from 'node:crypto';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Files that appear whole or not at all, even after a power failure: they are written under a
 * temporary name and flushed, then renamed, and then the folder is flushed. Without the last step
 * a crash may lose the name although the bytes are on the disk.
 */

const OWNER_ONLY = 0o600;

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Flushes a file that another process or library wrote, or the names in a folder. */
export async function flushPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file with mode 0600 and flushes it. Rejects with EEXIST if it exists. */
export async function writeNewFile(file: string, pieces: Pieces): Promise<void> {
  await writeFlushed(file, pieces, { flags: 'wx', mode: OWNER_ONLY });
  await flushPath(dirname(file));
}

/** Renames a file that is already flushed. A file with the new name is overwritten. */
export async function renameFile(file: string, target: string): Promise<void> {
  await rename(file, target);
  await flushPath(dirname(target));
}

/** Renames a file that is already flushed. Rejects with EEXIST if the new name exists. */
export async function renameToNew(file: string, target: string): Promise<void> {
  await link(file, target);
  await unlink(file);
  await flushPath(dirname(target));
}

/**
 * Creates a file with mode 0600. Returns `false` and leaves the file as it is if it exists, so of
 * several processes that start at the same time exactly one creates it.
 */
export async function createFile(file: string, text: string): Promise<boolean> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFlushed(temporary, [text], { flags: 'wx', mode: OWNER_ONLY });
    await link(temporary, file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false;
    throw cause;
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
  await flushPath(dirname(file));
  return true;
}

/**
 * Writes a file, over the one that exists, with the mode that the umask leaves. For one writer at a
 * time.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  await writeFlushed(temporary, [text], { flags: 'w', mode: 0o666 });
  await renameFile(temporary, file);
}

/** Writes a file with mode 0600, over the one that exists. Of several writers the last one wins. */
export async function replacePrivateFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFlushed(temporary, [text], { flags: 'wx', mode: OWNER_ONLY });
    await renameFile(temporary, file);
  } catch (cause) {
    await unlink(temporary).catch(() => undefined);
    throw cause;
  }
}

async function writeFlushed(
  file: string,
  pieces: Pieces,
  { flags, mode }: { readonly flags: string; readonly mode: number },
): Promise<void> {
  const handle = await open(file, flags, mode);
  try {
    for await (const piece of pieces) await handle.appendFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
