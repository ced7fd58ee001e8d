import type pg from 'pg';
import { Problem } from '../../domain/problem.ts';

/** The class of all warnings: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const WARNINGS = '01';

/** The caller cannot be told that it is done, although it may be. */
export function unconfirmed(cause: Error): Problem {
  return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

/**
 * Returns why it may not be relied on, or nothing. A commit that waits for a replica, and that an operator cancels,
 * succeeds all the same, with no more than a warning: it stands there alone, and would be lost if the replica took over.
 * Nobody may be told that it is done.
 */
export async function commit(client: pg.ClientBase): Promise<string | undefined> {
  let warning: string | undefined;
  const listen = ({ code, message }: { code: string | undefined; message: string | undefined }) => {
    if (code?.startsWith(WARNINGS)) warning = message ?? '';
  };
  client.on('notice', listen);
  try {
    const { command } = await client.query('commit');
    // What it says where there was nothing to commit any more.
    if (command !== 'COMMIT') warning = `a commit ended as ${command}`;
  } finally {
    client.off('notice', listen);
  }
  return warning;
}
