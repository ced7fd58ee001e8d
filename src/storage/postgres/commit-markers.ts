import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ownSchema } from '../migrate.ts';
import type { BoundStatement, Row } from './statement-pipeline.ts';

const POLL_MS = 50;
/** "transaction ID is in the future": the server has lost it, or took over from one that had it. */
const INVALID_PARAMETER = '22023';

/** Identifies a transaction. */
export interface CommitMarker {
  readonly connection: string;
  readonly number: number;
  /** PostgreSQL's transaction id. After a crash the server may assign it again. */
  readonly xid: string;
}

/**
 * The first statement of every write transaction. It also limits how long the server waits for the
 * next statement, so that a frozen or disconnected node does not keep its locks, and how long the
 * transaction waits for a lock. The limits are set here, for this transaction: they depend on the
 * measured latency, and a pooler would drop them as settings of the connection.
 *
 * If the store does not admit this schema, the number is null, which the column refuses, so the
 * transaction fails. The lock of `admission` lasts until the commit.
 */
const WRITE_MARKER = `insert into rapsheet_commits.marker (connection, number, at)
  values ($1, (select $2::bigint from admission where id = 1 and oldest_schema <= $5::bigint), now())
  on conflict (connection) do update set number = excluded.number, at = excluded.at
  returning pg_current_xact_id()::text as xid,
    set_config('idle_in_transaction_session_timeout', $3, true), set_config('lock_timeout', $4, true)`;
const IDLE_MS = 1500;
const MAX_IDLE_MS = 20_000;
/** Older markers are never read. */
const DELETE_OLD_MARKERS =
  "delete from rapsheet_commits.marker where at < now() - interval '1 day'";
const DELETE_MARKER =
  'delete from rapsheet_commits.marker where connection = $1 and number = $2 returning number';

interface WriteLimits {
  readonly attempt: number;
  /**
   * Shorter than the idle timeout. When the server ends the transaction of a lost node, no other
   * session of that node still waits for the same row; it would get the lock next and be idle as
   * well. Reachable nodes retry.
   */
  readonly lockMs: number;
  /** Added to both limits. */
  readonly allowanceMs: number;
}

interface MarkerWrite {
  readonly statement: BoundStatement;
  read(rows: readonly Row[] | undefined): CommitMarker;
}

/**
 * Writes a marker in each transaction. If the answer to a commit is lost, the marker shows whether
 * the transaction was committed.
 */
export class CommitMarkers {
  readonly #connections = new WeakMap<pg.ClientBase, string>();
  readonly #schema = ownSchema();
  #number = 0;

  /** The statement follows `begin`; `read` returns the marker from its rows. */
  write(client: pg.ClientBase, { attempt, lockMs, allowanceMs }: WriteLimits): MarkerWrite {
    this.#number += 1;
    const [connection, number] = [this.#idOf(client), this.#number];
    return {
      statement: {
        name: 'mark',
        text: WRITE_MARKER,
        values: [
          connection,
          number,
          String(idleMs(attempt) + allowanceMs),
          String(lockMs + allowanceMs),
          this.#schema,
        ],
      },
      read: (rows = []) => ({ connection, number, xid: String(rows[0]?.['xid']) }),
    };
  }

  /** Deletes the markers of closed connections. An idle connection writes a new one when needed. */
  async deleteOld(pool: pg.Pool): Promise<void> {
    await pool.query(DELETE_OLD_MARKERS);
  }

  #idOf(client: pg.ClientBase): string {
    const id = this.#connections.get(client) ?? randomUUID();
    this.#connections.set(client, id);
    return id;
  }
}

/**
 * Grows with the attempts: on an overloaded machine a unit may need longer between two statements.
 */
function idleMs(attempt: number): number {
  return Math.min(IDLE_MS * 2 ** Math.max(0, attempt - 2), MAX_IDLE_MS);
}

/**
 * Whether a transaction is committed whose commit was sent but not answered; `undefined` if the
 * database did not answer within the timeout. A wrong result would charge a caller for a lookup
 * that was not served, or make it report the same thing twice.
 */
export async function isCommitted(
  pool: pg.Pool,
  marker: CommitMarker,
  timeoutMs: number,
): Promise<boolean | undefined> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    // In this order: a transaction that has ended cannot commit between the two queries.
    const isPresent = (await hasEnded(pool, marker)) ? await hasMarker(pool, marker) : undefined;
    if (isPresent !== undefined) return isPresent;
    await sleep(POLL_MS);
  }
  return undefined;
}

/**
 * Deletes the marker in the current transaction and returns whether it existed. The marker of a
 * transaction that has ended exists if and only if the transaction was committed and the marker has
 * not been deleted.
 */
export async function removeMarker(
  client: pg.ClientBase,
  { connection, number }: CommitMarker,
): Promise<boolean> {
  const { rows } = await client.query(DELETE_MARKER, [connection, number]);
  return rows.length > 0;
}

/** `false` if the transaction is in progress, or the database cannot be reached. */
export async function hasEnded(pool: pg.Pool, { xid }: CommitMarker): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ status: string | null }>(
      'select pg_xact_status($1::xid8) as status',
      [xid],
    );
    return rows[0]?.status !== 'in progress';
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === INVALID_PARAMETER;
  }
}

/** `undefined` if the database cannot be reached. */
async function hasMarker(
  pool: pg.Pool,
  { connection, number }: CommitMarker,
): Promise<boolean | undefined> {
  try {
    const { rows } = await pool.query(
      'select from rapsheet_commits.marker where connection = $1 and number = $2',
      [connection, number],
    );
    return rows.length > 0;
  } catch {
    return undefined;
  }
}
