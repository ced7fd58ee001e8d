import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

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

/**
 * Every transaction that writes begins with it, so it also says how long the server waits for the next statement of one:
 * a node that is frozen or cut off keeps others from its rows for no longer. Set here and not with the connection, since
 * a pooler would drop it there; until the end of the transaction alone.
 */
const LEAVE_MARK = `insert into rapsheet_commits.last_commit (connection, number, at) values ($1, $2, now())
  on conflict (connection) do update set number = excluded.number, at = excluded.at
  returning pg_current_xact_id()::text as xid,
    set_config('idle_in_transaction_session_timeout', $3, true)`;
const IDLE_MS = 1500;
const LONGEST_IDLE_MS = 20_000;
/** Nobody asks for one that is older. */
const FORGET_MARKS = "delete from rapsheet_commits.last_commit where at < now() - interval '1 day'";
const REMOVE_MARK =
  'delete from rapsheet_commits.last_commit where connection = $1 and number = $2 returning number';

/** Leaves a mark in each transaction, by which it is known what became of it where the answer to its commit is lost. */
export class Marks {
  readonly #connections = new WeakMap<pg.ClientBase, string>();
  #number = 0;

  /** To be called right after the transaction was begun, for the first time or again. */
  async leave(client: pg.ClientBase, tries = 1): Promise<Mark> {
    this.#number += 1;
    const [connection, number] = [this.#idOf(client), this.#number];
    const { rows } = await client.query<{ xid: string }>({
      name: 'mark',
      text: LEAVE_MARK,
      values: [connection, number, String(idleMs(tries))],
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

/** A unit that needs longer between two statements, on a machine that is too busy, must come through in the end. */
function idleMs(tries: number): number {
  return Math.min(IDLE_MS * 2 ** Math.max(0, tries - 2), LONGEST_IDLE_MS);
}

/**
 * What became of a transaction whose commit was sent, but not answered; `undefined` where nobody could tell for so long.
 * Told wrongly, a caller would pay for an answer that never came, or would report the same thing twice.
 */
export async function isCommitted(
  pool: pg.Pool,
  mark: Mark,
  giveUpMs: number,
): Promise<boolean | undefined> {
  const giveUpAt = performance.now() + giveUpMs;
  while (performance.now() < giveUpAt) {
    // In this order: what is over does not commit between the two.
    const found = (await isOver(pool, mark)) ? await isLeft(pool, mark) : undefined;
    if (found !== undefined) return found;
    await sleep(PAUSE_MS);
  }
  return undefined;
}

/**
 * Whether the mark was there, and is removed with the running transaction. Of a transaction that is over, it is there
 * if and only if that was committed, and nobody has removed it before.
 */
export async function removeMark(
  client: pg.ClientBase,
  { connection, number }: Mark,
): Promise<boolean> {
  const { rows } = await client.query(REMOVE_MARK, [connection, number]);
  return rows.length > 0;
}

/** False also while nobody can tell. */
export async function isOver(pool: pg.Pool, { xid }: Mark): Promise<boolean> {
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
