import { Problem } from '../../domain/problem.ts';

/** SQLite's result codes, without their extensions: https://www.sqlite.org/rescode.html */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISUSE = 21;

export function isBusy(cause: unknown): boolean {
  return resultCode(cause) === SQLITE_BUSY;
}

/** The answer where another process has held the lock for too long. */
export function lockedOut(): Problem {
  const cause = new Error('another process kept the store locked');
  return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

function resultCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause)) return undefined;
  return typeof cause.errcode === 'number' ? cause.errcode & 0xff : undefined;
}

/** A full disk, a file that went away or turned read-only: the caller may try again, and is told so. */
export function asProblem(cause: unknown): unknown {
  if (!isFaultOfStorage(cause)) return cause;
  return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

/** All other failures are defects of ours. */
export function isFaultOfStorage(cause: unknown): boolean {
  const code = resultCode(cause);
  return code !== undefined && ![SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISUSE].includes(code);
}
