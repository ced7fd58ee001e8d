import type pg from 'pg';
import { Problem } from '../../domain/problem.ts';
import { type BoundStatement, runStatements } from './statement-pipeline.ts';

/** The class of all warnings: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const WARNINGS = '01';

const COMMIT: BoundStatement = { name: 'commit', text: 'commit', values: [] };

/**
 * For a caller whose transaction may or may not be committed. The connection must not be used
 * again: its next transaction would overwrite the commit marker.
 */
export class UnconfirmedCommit extends Problem {
  constructor(cause: Error) {
    super('unavailable', { cause, retryAfterSeconds: 1 });
  }
}

/**
 * Commits after the deferred statements, and returns a warning if the commit must not be
 * acknowledged. If an operator cancels a commit that waits for a replica, PostgreSQL commits
 * locally and reports only a warning: the transaction would be lost if the replica took over.
 */
export async function commit(
  client: pg.ClientBase,
  deferred: readonly BoundStatement[] = [],
): Promise<string | undefined> {
  let warning: string | undefined;
  const listen = ({ code, message }: { code: string | undefined; message: string | undefined }) => {
    if (code?.startsWith(WARNINGS)) warning = message ?? '';
  };
  client.on('notice', listen);
  try {
    if (deferred.length > 0) {
      // If one of them fails, its error is thrown, and the commit rolls back.
      await runStatements(client, [...deferred, COMMIT]);
      return warning;
    }
    const { command } = await client.query('commit');
    // PostgreSQL answers ROLLBACK if the transaction had failed before.
    if (command !== 'COMMIT') warning = `a commit ended as ${command}`;
  } finally {
    client.off('notice', listen);
  }
  return warning;
}
