import type pg from 'pg';
import {
  asProblem,
  isInTheWay,
  isLostConnection,
  isWorthAnotherTry,
  pauseBefore,
} from './failures.ts';

const MOST_TRIES = 12;
/** So long a call may be tried again after its connection was lost, from its beginning. */
const PATIENCE_MS = 4000;
/** A connection that is found to be dead has cost seconds: that alone must not use up the patience of the call. */
const FIRST_TRIES = 2;
const FIRST_PATIENCE_MS = 8000;
/** The same where another transaction holds what it needs. */
const LOCK_PATIENCE_MS = 5000;

/**
 * Begun again where it was undone for the sake of another, and for a while where its connection was lost or, unless it
 * `isHasty`, where it waited for a lock in vain.
 */
export async function untilDone<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, tries: number) => Promise<Result>,
  { isHasty = false } = {},
): Promise<Result> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await onConnection(pool, (client) => work(client, tries));
    } catch (cause) {
      const waitedMs = performance.now() - startedAt;
      if (!mayTryAgain(cause, { tries, waitedMs, isHasty })) throw asProblem(cause);
      await pauseBefore(tries);
    }
  }
}

interface Effort {
  readonly tries: number;
  readonly waitedMs: number;
  readonly isHasty: boolean;
}

function mayTryAgain(cause: unknown, { tries, waitedMs, isHasty }: Effort): boolean {
  const patienceMs = tries <= FIRST_TRIES ? FIRST_PATIENCE_MS : PATIENCE_MS;
  if (isLostConnection(cause) && waitedMs < patienceMs) return true;
  if (isInTheWay(cause) && !isHasty && waitedMs < LOCK_PATIENCE_MS) return true;
  return isWorthAnotherTry(cause) && tries < MOST_TRIES;
}

/** What failed is undone. A connection whose state nobody knows does not go back to the others. */
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
    const isUndone =
      !isLostConnection(cause) &&
      (await client.query('rollback').then(
        () => true,
        () => false,
      ));
    client.release(!isUndone);
    throw cause;
  }
}
