import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../domain/problem.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';
/** Something before it on this connection has failed, and nobody has undone it yet. */
export const FAILED_TRANSACTION = '25P02';
/**
 * The server ended a transaction that stood still, or took too long in all, and the connection with it. It was not
 * committed: a session that has committed is not in a transaction.
 */
const ENDED_TRANSACTION = /^25P0[34]$/;
/**
 * Classes that say nothing of our statements: connections, who may connect (a password that was changed) and to what,
 * resources, an operator who intervened, the system.
 */
const OUTAGES = ['08', '28', '3D', '53', '57', '58', 'XX'];
/** It was promoted to something else, or is a replica. */
export const READ_ONLY = '25006';
const LOCK_NOT_AVAILABLE = '55P03';
/** "cached plan must not change result type": a newer program has added to a table that it was prepared for. */
const STALE_PLAN = '0A000';

const WORTH_ANOTHER_TRY = [SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION, FAILED_TRANSACTION];

/** What the server said, where it was the server: it also says how bad it is. `EPIPE` of the system has five letters, too. */
export function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause) || !('severity' in cause)) return undefined;
  return typeof cause.code === 'string' ? cause.code : undefined;
}

/**
 * Whether the transaction was undone for the sake of another one, and may go through when it is begun again. Where two
 * put in the same row at once, the second then finds it there. A connection on which an earlier one failed is clean then.
 */
export function isWorthAnotherTry(cause: unknown): boolean {
  const code = codeOf(cause) ?? '';
  return WORTH_ANOTHER_TRY.includes(code) || ENDED_TRANSACTION.test(code);
}

/** Whether another transaction holds what this one needs, for long or for ever. */
export function isInTheWay(cause: unknown): boolean {
  return [DEADLOCK, LOCK_NOT_AVAILABLE].includes(codeOf(cause) ?? '');
}

/**
 * Whether it was the way to the server that failed: nobody knows then what has become of the statement. A connection
 * whose statements are no longer right is as good as lost: the next one prepares them anew.
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

/** The caller may try again, and is told so; anything else is a defect of ours. */
export function asProblem(cause: unknown): unknown {
  const code = codeOf(cause);
  const isOutage =
    isLostConnection(cause) ||
    code === SERIALIZATION_FAILURE ||
    code === DEADLOCK ||
    code === READ_ONLY ||
    code === LOCK_NOT_AVAILABLE ||
    OUTAGES.some((kind) => code?.startsWith(kind));
  return isOutage ? new Problem('unavailable', { cause, retryAfterSeconds: 1 }) : cause;
}

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/** A little longer each time, and never the same: those that were in each other's way would meet again. */
export async function pauseBefore(attempt: number): Promise<void> {
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
  await sleep(Math.random() * most);
}
