import type pg from 'pg';
import { codeOf } from './failures.ts';

const PROBE = { name: 'rapsheet_probe', text: 'select 1' };
/** There is one of that name already, or there is none. */
const LOST_STATEMENT = ['42P05', '26000'];

/**
 * A pooler may give each transaction another connection. Unless it knows of statements that are prepared by name, those
 * of one are then met by another, and almost every call would fail.
 */
export async function checkPooler(
  client: pg.Client,
  connect: () => Promise<pg.Client>,
  name: string,
): Promise<void> {
  if (!(await isPooled(client))) return;
  const other = await connect();
  try {
    await client.query(PROBE);
    // Whoever is in a transaction has a connection for itself: most likely the one that was used last.
    await other.query('begin');
    await other.query(PROBE);
    await client.query(PROBE);
  } catch (cause) {
    if (!LOST_STATEMENT.includes(codeOf(cause) ?? '')) throw cause;
    throw new Error(
      `${name} is behind a pooler that mixes up prepared statements: set its pool_mode to session, or its max_prepared_statements to 500 (PgBouncer 1.21 or newer)`,
      { cause },
    );
  } finally {
    await other.end();
  }
}

/** A pooler gives out numbers of its own for what it calls connections. */
async function isPooled(client: pg.Client): Promise<boolean> {
  // The types of pg do not know of the number that it was given.
  const { processID } = client as pg.Client & { readonly processID?: number };
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== processID;
}
