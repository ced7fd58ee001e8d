import { Problem } from '../../domain/problem.ts';

/** SQLite's result codes, without their extensions: https://www.sqlite.org/rescode.html */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISUSE = 21;

export function isBusy(cause: unknown): boolean {
  return resultCode(cause) === SQLITE_BUSY;
}

/** For callers whose write timed out because another process held the write lock. */
export function lockTimeout(): Problem {
  const cause = new Error('another process kept the store locked');
  return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

function resultCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause)) return undefined;
  return typeof cause.errcode === 'number' ? cause.errcode & 0xff : undefined;
}

/** A full disk or a missing or read-only file becomes a Problem that asks the caller to retry. */
export function asProblem(cause: unknown): unknown {
  if (!isStorageFault(cause)) return cause;
  return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

/** The codes that are excluded mean a defect in our statements. */
export function isStorageFault(cause: unknown): boolean {
  const code = resultCode(cause);
  return code !== undefined && ![SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISUSE].includes(code);
}
