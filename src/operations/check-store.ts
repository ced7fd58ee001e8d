import { Problem } from '../domain/problem.ts';
import type { Dependencies } from './dependencies.ts';

const RETRY_AFTER_SECONDS = 1;

/**
 * Throws `unavailable` if the database does not answer, for any reason, and `not_admitted` if it
 * does not admit this node any more.
 */
export async function checkStore({ store }: Pick<Dependencies, 'store'>): Promise<void> {
  try {
    await store.check();
  } catch (cause) {
    if (cause instanceof Problem && cause.code === 'not_admitted') throw cause;
    throw new Problem('unavailable', { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
