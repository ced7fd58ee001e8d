import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Problem } from '../../domain/problem.ts';

/** As long as a server needs to be started again, and a caller is ready to wait. */
const GIVE_UP_MS = 6000;
const PAUSE_MS = 50;
/** "transaction ID is in the future": a server that took over without it. */
const INVALID_PARAMETER = '22023';

/**
 * What became of a transaction whose commit was sent, but not answered. Told wrongly, a caller would pay for an answer
 * that never came, or would report the same thing twice.
 */
export async function isCommitted(pool: pg.Pool, xid: string): Promise<boolean> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (performance.now() < giveUpAt) {
    const status = await statusOf(pool, xid);
    if (status === 'committed') return true;
    if (status === 'aborted') return false;
    await sleep(PAUSE_MS);
  }
  const cause = new Error('the database went away while it was asked to commit');
  throw new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

/** `undefined` while nobody can tell. */
async function statusOf(pool: pg.Pool, xid: string): Promise<string | undefined> {
  try {
    const { rows } = await pool.query<{ status: string | null }>(
      'select pg_xact_status($1::xid8) as status',
      [xid],
    );
    return rows[0]?.status ?? undefined;
  } catch (cause) {
    const isUnknown = cause instanceof Error && 'code' in cause && cause.code === INVALID_PARAMETER;
    return isUnknown ? 'aborted' : undefined;
  }
}
