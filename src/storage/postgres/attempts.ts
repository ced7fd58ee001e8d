import type pg from 'pg';
import { asProblem, isLostConnection, isWorthAnotherTry, pauseBefore } from './failures.ts';

const MOST_TRIES = 12;
/** So long a call may be tried again after its connection was lost, from its beginning. */
const PATIENCE_MS = 4000;

/** Begun again where it was undone for the sake of another, and for a while where its connection was lost. */
export async function untilDone<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await onConnection(pool, work);
    } catch (cause) {
      const isPatient = isLostConnection(cause) && performance.now() - startedAt < PATIENCE_MS;
      if (!isPatient && (!isWorthAnotherTry(cause) || tries >= MOST_TRIES)) throw asProblem(cause);
      await pauseBefore(tries);
    }
  }
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
