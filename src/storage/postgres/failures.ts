import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../domain/problem.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
/** An earlier statement of the transaction has failed, and it was not rolled back yet. */
const FAILED_TRANSACTION = '25P02';
/**
 * The server ended the session because its transaction was idle or lasted too long. The transaction
 * is not committed: a session that has committed is no longer in a transaction.
 */
const ENDED_TRANSACTION = /^25P0[34]$/;
/**
 * Error classes that are not caused by our statements: connection, authorization (a changed
 * password), catalogue name, resources, operator intervention, system and internal errors.
 */
const OUTAGES = ['08', '28', '3D', '53', '57', '58', 'XX'];
/** The server is a replica. */
export const READ_ONLY = '25006';
const LOCK_NOT_AVAILABLE = '55P03';
/** "cached plan must not change result type": a newer version has added a column to the table. */
const STALE_PLAN = '0A000';

const RETRYABLE = [SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION, FAILED_TRANSACTION];

/**
 * The SQLSTATE of a server error. Only server errors have a severity; `EPIPE` is a system error
 * code.
 */
export function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause) || !('severity' in cause)) return undefined;
  return typeof cause.code === 'string' ? cause.code : undefined;
}

/**
 * Whether the transaction failed because of another one and may succeed when retried. If two insert
 * the same row, the retry finds the row. A retry also starts with a clean connection.
 */
export function isRetryable(cause: unknown): boolean {
  const code = codeOf(cause) ?? '';
  return RETRYABLE.includes(code) || ENDED_TRANSACTION.test(code);
}

/** Whether a lock of another transaction caused the failure. */
export function isLockConflict(cause: unknown): boolean {
  return [DEADLOCK, LOCK_NOT_AVAILABLE].includes(codeOf(cause) ?? '');
}

/**
 * Whether the connection failed, so that the outcome of the statement is unknown. A connection with
 * stale prepared statements counts as lost: a new one prepares them again.
 */
export function isLostConnection(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const code = codeOf(cause);
  if (code !== undefined)
    return /^(57P|08)/.test(code) || ENDED_TRANSACTION.test(code) || code === STALE_PLAN;
  return /Connection terminated|Query read timeout|ECONNRESET|EPIPE|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|timeout expired|Connection ended/.test(
    `${cause.message} ${'code' in cause ? String(cause.code) : ''}`,
  );
}

/** Turns an outage into a Problem that asks the caller to retry. Any other failure is a defect. */
export function asProblem(cause: unknown): unknown {
  const code = codeOf(cause);
  const isOutage =
    isLostConnection(cause) ||
    code === SERIALIZATION_FAILURE ||
    code === DEADLOCK ||
    code === READ_ONLY ||
    code === LOCK_NOT_AVAILABLE ||
    OUTAGES.some((prefix) => code?.startsWith(prefix));
  return isOutage ? new Problem('unavailable', { cause, retryAfterSeconds: 1 }) : cause;
}

const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 100;

/** Exponential backoff with jitter, so that conflicting transactions do not collide again. */
export async function backOff(attempt: number): Promise<void> {
  const maxMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  await sleep(Math.random() * maxMs);
}
