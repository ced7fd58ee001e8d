import { sql } from 'kysely';
import type { JobKind } from '../../../ports/queue.ts';
import { type Dialect, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * Start-time fair queueing. Each job gets a turn when it is added, and jobs are claimed in the
 * order of their turns:
 *
 *   turn of a job = max(clock, 1 + the last turn of its account)
 *   clock         = the highest turn that was claimed
 *
 * An account with many queued jobs has one job in each turn. An account without queued jobs starts
 * at the clock, so it waits for at most one job of every other account.
 *
 * Jobs of the last turn are claimed when there are no others. They do not move the clock.
 */

/** pg-boss has no lower priority. No account comes so far. */
export const LAST_TURN = 2 ** 31;

/** The row of the clock has no account. */
const CLOCK = '';

const greatestOf = (dialect: Dialect) => sql.raw(dialect === 'sqlite' ? 'max' : 'greatest');

const nextTurn = query<{ kind: string; account_id: string; clock: string }>()(
  (db, parameter, dialect) =>
    db
      .insertInto('job_turn')
      .values({
        kind: parameter.kind,
        account_id: parameter.account_id,
        turn: sql<number>`coalesce(
        (select clock.turn from job_turn as clock
         where clock.kind = ${parameter.kind} and clock.account_id = ${parameter.clock}),
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

const moveClock = query<{ kind: string; account_id: string; turn: number }>()((db, parameter) =>
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

/** Assigns the turn of an account's next job. Concurrent calls for one account wait for its row. */
export function* takeTurn(kind: JobKind, accountId: string): UnitOfWork<number> {
  const next = yield* row(nextTurn, { kind, account_id: accountId, clock: CLOCK });
  if (next === undefined) throw new Error('the insert of a job turn returned no row');
  return next.turn;
}

/** The highest of these turns that moves the clock. */
export function highestTurn(turns: readonly number[]): number | undefined {
  const ofAccounts = turns.filter((turn) => turn < LAST_TURN);
  return ofAccounts.length === 0 ? undefined : Math.max(...ofAccounts);
}

/** Records that a job of this turn was claimed. The clock never moves backwards. */
export function* advanceClock(kind: JobKind, turn: number): UnitOfWork<void> {
  yield* rows(moveClock, { kind, account_id: CLOCK, turn });
}
