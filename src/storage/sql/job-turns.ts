import { sql } from 'kysely';
import type { JobKind } from '../../ports/queue.ts';
import { type Dialect, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';

/**
 * Start-time fair queueing. Each job gets a turn when it is added, and jobs are claimed in the order of their turns:
 *
 *   turn of a job = the greater of: the clock; 1 + the last turn of its account
 *   clock         = the highest turn that was claimed so far
 *
 * So an account with many jobs queued has one in each turn from now on, and one that was idle begins with the turn that
 * is being served: it waits for at most one job of each other account, however many those have queued.
 */
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

/** The turn of the next job of an account. Jobs of one account that are added at once wait for each other. */
export function* takeTurn(kind: JobKind, accountId: string): UnitOfWork<number> {
  const taken = yield* row(nextTurn, { kind, account_id: accountId, clock: CLOCK });
  if (taken === undefined) throw new Error('no turn was given to a job');
  return taken.turn;
}

/** A job of that turn was claimed. The clock never goes back. */
export function* advanceClock(kind: JobKind, turn: number): UnitOfWork<void> {
  yield* rows(moveClock, { kind, account_id: CLOCK, turn });
}
