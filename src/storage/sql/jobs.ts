import { sql } from 'kysely';
import { type ClaimWish, type Job, type JobKind, MOST_COUNTED_JOBS } from '../../ports/queue.ts';
import type { JobRow } from '../tables.ts';
import {
  type AddJobStep,
  all,
  type JobStep,
  type Query,
  type QueryStep,
  query,
  row,
  rows,
  type UnitOfWork,
} from '../unit-of-work.ts';
import { advanceClock, takeTurn } from './job-turns.ts';

const NEW_COLUMNS = ['kind', 'key', 'account_id', 'turn', 'due_at', 'created_at'] as const;

const insertJob = query<Pick<JobRow, (typeof NEW_COLUMNS)[number]>>()((db, parameter) =>
  db
    .insertInto('job')
    .values(all(parameter, NEW_COLUMNS))
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doNothing()),
);

const deleteJob = query<{ kind: string; key: string }>()((db, parameter) =>
  db.deleteFrom('job').where('kind', '=', parameter.kind).where('key', '=', parameter.key),
);

/**
 * Choosing and leasing are one statement: no two claims ever get the same job. Moments that lie in the future although
 * they cannot come from this clock, a job made later than now or a lease longer than any, are of one that was set
 * back since: they count for nothing.
 */
const claimDue = query<{ kind: string; now: string; until: string; limit: number }>()(
  (db, parameter) =>
    db
      .updateTable('job')
      .set((column) => ({
        attempts: column('attempts', '+', 1),
        lease: column('lease', '+', 1),
        leased_until: parameter.until,
      }))
      .where('id', 'in', (from) =>
        from
          .selectFrom('job as waiting')
          .select('waiting.id')
          .where('waiting.kind', '=', parameter.kind)
          .where((where) =>
            where.or([
              where('waiting.due_at', '<=', parameter.now),
              where('waiting.created_at', '>', parameter.now),
            ]),
          )
          .where((where) =>
            where.or([
              where('waiting.leased_until', 'is', null),
              where('waiting.leased_until', '<=', parameter.now),
              where('waiting.leased_until', '>', parameter.until),
            ]),
          )
          // Passes over those that are leased, no more than there are workers, and the few that are to be retried later.
          .orderBy('waiting.turn')
          .orderBy('waiting.id')
          .limit(parameter.limit),
      )
      .returning(['id', 'key', 'attempts', 'lease', 'turn']),
);

interface Held {
  id: number;
  lease: number;
}

const extendLease = query<Held & { until: string }>()((db, parameter) =>
  db
    .updateTable('job')
    .set({ leased_until: parameter.until })
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where('leased_until', 'is not', null)
    .returning('id'),
);

const deleteHeld = query<Held>()((db, parameter) =>
  db
    .deleteFrom('job')
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where('leased_until', 'is not', null)
    .returning('id'),
);

const postpone = query<Held & { due_at: string; last_error: string }>()((db, parameter) =>
  db
    .updateTable('job')
    .set({ ...all(parameter, ['due_at', 'last_error']), leased_until: null })
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where('leased_until', 'is not', null)
    .returning('id'),
);

const giveBack = query<Held & { due_at: string | null }>()((db, parameter) =>
  db
    .updateTable('job')
    .set((column) => ({
      attempts: column('attempts', '-', 1),
      due_at: sql<string>`coalesce(${parameter.due_at}, due_at)`,
      leased_until: null,
    }))
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where('leased_until', 'is not', null)
    .returning('id'),
);

const countJobs = query<{ kind: string; most: number }>()((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('job')
        .select('id')
        .where('kind', '=', parameter.kind)
        .limit(parameter.most)
        .as('counted'),
    )
    .select(sql<number>`count(*)`.as('count')),
);

export interface NewJob {
  readonly kind: JobKind;
  readonly key: string;
  /** For which it is done: accounts are served in turn. */
  readonly accountId: string;
  readonly at: Date;
}

/** In the transaction of what it is about. Where there is such a job already, that one stays. */
export function* addJob(job: NewJob): UnitOfWork<void> {
  const turn = yield* takeTurn(job.kind, job.accountId);
  yield { job: 'add', ...job, turn } satisfies AddJobStep;
}

export function* removeJob(kind: JobKind, key: string, at: Date): UnitOfWork<void> {
  yield { job: 'remove', kind, key, at };
}

/** What that is where jobs are in a table beside the rest. */
export function storedJob(step: JobStep): QueryStep {
  const { kind, key, at } = step;
  const now = at.toISOString();
  // Whoever runs a step hands it the values that it is made with here.
  if (step.job === 'remove')
    return { query: deleteJob as Query<never, unknown>, values: { kind, key } };
  const { accountId: account_id, turn } = step;
  return {
    query: insertJob as Query<never, unknown>,
    values: { kind, key, account_id, turn, due_at: now, created_at: now },
  };
}

export function* claimJobs(kind: JobKind, wish: ClaimWish): UnitOfWork<readonly Job[]> {
  const { now, leaseMs, limit } = wish;
  const until = new Date(now.getTime() + leaseMs).toISOString();
  const claimed = yield* rows(claimDue, { kind, now: now.toISOString(), until, limit });
  // An update returns its rows in any order.
  const inOrder = [...claimed].sort((a, b) => a.turn - b.turn || a.id - b.id);
  const last = inOrder.at(-1);
  if (last !== undefined) yield* advanceClock(kind, last.turn);
  return inOrder.map(({ id, lease, key, attempts }) => ({
    id: `${id}.${lease}`,
    key,
    attempt: attempts,
  }));
}

export function* extendJob(job: Job, until: Date): UnitOfWork<boolean> {
  return isHeld(yield* row(extendLease, { ...heldBy(job), until: until.toISOString() }));
}

export function* completeJob(job: Job): UnitOfWork<boolean> {
  return isHeld(yield* row(deleteHeld, heldBy(job)));
}

export function* retryJob(job: Job, at: Date, reason: string): UnitOfWork<boolean> {
  const values = { due_at: at.toISOString(), last_error: reason };
  return isHeld(yield* row(postpone, { ...heldBy(job), ...values }));
}

export function* releaseJob(job: Job, at?: Date): UnitOfWork<boolean> {
  return isHeld(yield* row(giveBack, { ...heldBy(job), due_at: at?.toISOString() ?? null }));
}

export function* countJobsOf(kind: JobKind): UnitOfWork<number> {
  return (yield* row(countJobs, { kind, most: MOST_COUNTED_JOBS }))?.count ?? 0;
}

/** The id that a worker knows is that of its own claim. */
function heldBy({ id }: Job): Held {
  const [number = 0, lease = 0] = id.split('.').map(Number);
  return { id: number, lease };
}

function isHeld(changed: { id: number } | undefined): boolean {
  return changed !== undefined;
}
