import type pg from 'pg';
import { codeOf } from './failures.ts';

const PROBE = { name: 'rapsheet_probe', text: 'select 1' };
/** A statement of that name exists already, or does not exist. */
const LOST_STATEMENT = ['42P05', '26000'];

/**
 * A pooler may assign another server connection to each transaction. Unless it tracks prepared
 * statements, the statements of one client collide with those of another, and most calls would
 * fail.
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
    // The transaction keeps a server connection, most likely the one that the client used last.
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

/** A pooler assigns process ids of its own. */
async function isPooled(client: pg.Client): Promise<boolean> {
  // The types of pg lack `processID`.
  const { processID } = client as pg.Client & { readonly processID?: number };
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== processID;
}
