import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Problem } from '../../domain/problem.ts';

/** As long as a server needs to be started again, and a caller is ready to wait. */
const GIVE_UP_MS = 6000;
const PAUSE_MS = 50;
/** "transaction ID is in the future": a server that has lost it, or took over without it. */
const INVALID_PARAMETER = '22023';

/** A transaction, by what no other one has. */
export interface Mark {
  readonly connection: string;
  readonly number: number;
  /** What PostgreSQL calls it. After a crash another one may be called so. */
  readonly xid: string;
}

const LEAVE_MARK = `insert into rapsheet_commits.last_commit (connection, number, at) values ($1, $2, now())
  on conflict (connection) do update set number = excluded.number, at = excluded.at
  returning pg_current_xact_id()::text as xid`;
/** Nobody asks for one that is older. */
const FORGET_MARKS =
  "delete from rapsheet_commits.last_commit where at < now() - interval '1 hour'";

/** Leaves a mark in each transaction, by which it is known what became of it where the answer to its commit is lost. */
export class Marks {
  readonly #connections = new WeakMap<pg.ClientBase, string>();
  #number = 0;

  /** To be called right after the transaction was begun. */
  async leave(client: pg.ClientBase): Promise<Mark> {
    this.#number += 1;
    const [connection, number] = [this.#idOf(client), this.#number];
    const { rows } = await client.query<{ xid: string }>({
      name: 'mark',
      text: LEAVE_MARK,
      values: [connection, number],
    });
    return { connection, number, xid: String(rows[0]?.xid) };
  }

  /** Of connections that are gone. One that is only idle leaves its next one anew. */
  async forgetOld(pool: pg.Pool): Promise<void> {
    await pool.query(FORGET_MARKS);
  }

  #idOf(client: pg.ClientBase): string {
    const id = this.#connections.get(client) ?? randomUUID();
    this.#connections.set(client, id);
    return id;
  }
}

/**
 * What became of a transaction whose commit was sent, but not answered. Told wrongly, a caller would pay for an answer
 * that never came, or would report the same thing twice.
 */
export async function isCommitted(pool: pg.Pool, mark: Mark): Promise<boolean> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (performance.now() < giveUpAt) {
    // In this order: what is over does not commit between the two.
    const found = (await isOver(pool, mark)) ? await isLeft(pool, mark) : undefined;
    if (found !== undefined) return found;
    await sleep(PAUSE_MS);
  }
  const cause = new Error('the database went away while it was asked to commit');
  throw new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

/** False also while nobody can tell. */
async function isOver(pool: pg.Pool, { xid }: Mark): Promise<boolean> {
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

/** `undefined` while nobody can tell. */
async function isLeft(pool: pg.Pool, { connection, number }: Mark): Promise<boolean | undefined> {
  try {
    const { rows } = await pool.query(
      'select from rapsheet_commits.last_commit where connection = $1 and number = $2',
      [connection, number],
    );
    return rows.length > 0;
  } catch {
    return undefined;
  }
}
