import type pg from 'pg';
import { UnconfirmedCommit } from './commit.ts';
import { asProblem, backOff, isLockConflict, isLostConnection, isRetryable } from './failures.ts';

const MAX_ATTEMPTS = 12;
/** Time from the start of the call within which it is retried after a lost connection. */
const LOST_CONNECTION_MS = 4000;
/** Longer for the first attempts: detecting one dead connection already takes seconds. */
const FIRST_ATTEMPTS = 2;
const FIRST_LOST_CONNECTION_MS = 8000;
/** The same after a conflict over a lock. */
const LOCK_CONFLICT_MS = 5000;

/**
 * Runs a transaction and retries it after a conflict with another one, and for some time after a
 * lost connection. With `failsFast` a lock timeout is not retried.
 */
export async function withRetries<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, attempt: number) => Promise<Result>,
  { failsFast = false } = {},
): Promise<Result> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await onConnection(pool, (client) => work(client, attempt));
    } catch (cause) {
      const elapsedMs = performance.now() - startedAt;
      if (!mayRetry(cause, { attempt, elapsedMs, failsFast })) throw asProblem(cause);
      await backOff(attempt);
    }
  }
}

interface Progress {
  readonly attempt: number;
  readonly elapsedMs: number;
  readonly failsFast: boolean;
}

function mayRetry(cause: unknown, { attempt, elapsedMs, failsFast }: Progress): boolean {
  const lostMs = attempt <= FIRST_ATTEMPTS ? FIRST_LOST_CONNECTION_MS : LOST_CONNECTION_MS;
  if (isLostConnection(cause) && elapsedMs < lostMs) return true;
  if (isLockConflict(cause) && !failsFast && elapsedMs < LOCK_CONFLICT_MS) return true;
  return isRetryable(cause) && attempt < MAX_ATTEMPTS;
}

/** Rolls back after a failure. A connection in an unknown state does not return to the pool. */
async function onConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (cause) {
    const isRolledBack =
      !(isLostConnection(cause) || cause instanceof UnconfirmedCommit) &&
      (await client.query('rollback').then(
        () => true,
        () => false,
      ));
    client.release(!isRolledBack);
    throw cause;
  }
}
