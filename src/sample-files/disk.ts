import type { FileHandle } from 'node:fs/promises';
import { Problem } from '../domain/problem.ts';

/** Turns an error of the file system (full, failing, unmounted) into the problem `unavailable`. */
export async function withDiskErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Error && 'syscall' in cause)
      throw new Problem('unavailable', { cause, retryAfterSeconds: 1 });
    throw cause;
  }
}

/** Reads that many bytes, or fewer at the end, from `at` or from the current position. */
export async function readPiece(
  handle: FileHandle,
  length: number,
  at: number | null = null,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const from = at === null ? null : at + filled;
    const { bytesRead } = await withDiskErrors(() =>
      handle.read(buffer, filled, length - filled, from),
    );
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Whether an operation failed because the file does not exist. */
export async function isAbsent(operation: Promise<unknown>): Promise<boolean> {
  try {
    await operation;
    return false;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return true;
    throw cause;
  }
}
