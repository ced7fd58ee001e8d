import type { FileHandle } from 'node:fs/promises';
import { Problem } from '../domain/problem.ts';

/** A disk that is full, failing or gone: the caller may try again, and is told so. */
export async function reachDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Error && 'syscall' in cause)
      throw new Problem('unavailable', { cause, retryAfterSeconds: 1 });
    throw cause;
  }
}

/** So many bytes, or what is left; from there on, or from where the last read has ended. */
export async function readPiece(
  handle: FileHandle,
  length: number,
  at: number | null = null,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const from = at === null ? null : at + filled;
    const { bytesRead } = await reachDisk(() => handle.read(buffer, filled, length - filled, from));
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

export async function isAbsent(done: Promise<unknown>): Promise<boolean> {
  try {
    await done;
    return false;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return true;
    throw cause;
  }
}
