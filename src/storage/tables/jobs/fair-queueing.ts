import { sql } from 'kysely';
import type { JobKind } from '../../../ports/queue.ts';
import { type Dialect, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, 1997). Each job gets a start tag when it is
 * added, and jobs are leased in the order of their tags:
 *
 *   start tag    = max(virtual time, 1 + the last start tag of the account)
 *   virtual time = the highest start tag that was leased
 *
 * An account with many queued jobs has one job for each tag. An account without queued jobs starts
 * at the virtual time, so it waits for at most one job of every other account. The column is called
 * `turn`.
 *
 * Jobs with the last tag are leased when there are no others. They do not move the virtual time.
 */

/** pg-boss has no lower priority. No account reaches this tag. */
export const LAST_TAG = 2 ** 31;

/** The row of the virtual time has no account. */
const VIRTUAL_TIME = '';

const greatestOf = (dialect: Dialect) => sql.raw(dialect === 'sqlite' ? 'max' : 'greatest');

const nextStartTag = query<{ kind: string; account_id: string; virtual_time: string }>()(
  (db, parameter, dialect) =>
    db
      .insertInto('job_turn')
      .values({
        kind: parameter.kind,
        account_id: parameter.account_id,
        turn: sql<number>`coalesce(
        (select latest.turn from job_turn as latest
         where latest.kind = ${parameter.kind} and latest.account_id = ${parameter.virtual_time}),
        1
      )`,
      })
      .onConflict((conflict) =>
        conflict.columns(['kind', 'account_id']).doUpdateSet({
          turn: sql<number>`${greatestOf(dialect)}(job_turn.turn + 1, excluded.turn)`,
        }),
      )
      .returning('turn'),
);

const moveVirtualTime = query<{ kind: string; account_id: string; turn: number }>()(
  (db, parameter) =>
    db
      .insertInto('job_turn')
      .values({ kind: parameter.kind, account_id: parameter.account_id, turn: parameter.turn })
      .onConflict((conflict) =>
        conflict
          .columns(['kind', 'account_id'])
          .doUpdateSet({ turn: sql<number>`excluded.turn` })
          .where(sql<boolean>`job_turn.turn < excluded.turn`),
      ),
);

/**
 * Assigns the start tag of an account's next job. Concurrent calls for one account wait for its
 * row.
 */
export function* takeStartTag(kind: JobKind, accountId: string): UnitOfWork<number> {
  const next = yield* row(nextStartTag, {
    kind,
    account_id: accountId,
    virtual_time: VIRTUAL_TIME,
  });
  if (next === undefined) throw new Error('the insert of a start tag returned no row');
  return next.turn;
}

/** The highest of these tags that moves the virtual time. */
export function highestTag(tags: readonly number[]): number | undefined {
  const ofAccounts = tags.filter((tag) => tag < LAST_TAG);
  return ofAccounts.length === 0 ? undefined : Math.max(...ofAccounts);
}

/** Records that a job with this tag was leased. The virtual time never moves backwards. */
export function* advanceVirtualTime(kind: JobKind, startTag: number): UnitOfWork<void> {
  yield* rows(moveVirtualTime, { kind, account_id: VIRTUAL_TIME, turn: startTag });
}
