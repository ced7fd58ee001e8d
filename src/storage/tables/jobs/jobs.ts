import { sql } from 'kysely';
import {
  type Job,
  type JobKind,
  MAX_COUNTED_JOBS,
  QUEUE_POLICIES,
  type QueuePolicy,
} from '../../../ports/queue.ts';
import type { JobRow } from '../../schema/tables.ts';
import { enqueueJob, removeFromQueue } from '../../units/effects.ts';
import { all, query } from '../../units/query.ts';
import type { JobStep, QueryStep } from '../../units/steps.ts';
import { queryStep, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { advanceVirtualTime, highestTag, LAST_TAG, takeStartTag } from './fair-queueing.ts';

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
 * Selecting and leasing are one statement, so two workers never lease the same job. After the
 * clock was set back, a stored time can lie in the future: a job created later than now, or a lease
 * longer than any that is granted. Such a time is ignored.
 */
const leaseDue = query<{ kind: string; now: string; until: string; limit: number }>()(
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
          .selectFrom('job as pending')
          .select('pending.id')
          .where('pending.kind', '=', parameter.kind)
          .where((where) =>
            where.or([
              where('pending.due_at', '<=', parameter.now),
              where('pending.created_at', '>', parameter.now),
            ]),
          )
          .where((where) =>
            where.or([
              where('pending.leased_until', 'is', null),
              where('pending.leased_until', '<=', parameter.now),
              where('pending.leased_until', '>', parameter.until),
            ]),
          )
          // The scan skips leased jobs, at most one for each worker, and the few delayed ones.
          .orderBy('pending.turn')
          .orderBy('pending.id')
          .limit(parameter.limit),
      )
      .returning(['id', 'key', 'attempts', 'lease', 'turn']),
);

interface Lease {
  id: number;
  lease: number;
}

const extendLeased = query<Lease & { until: string }>()((db, parameter) =>
  db
    .updateTable('job')
    .set({ leased_until: parameter.until })
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where('leased_until', 'is not', null)
    .returning('id'),
);

const deleteLeased = query<Lease>()((db, parameter) =>
  db
    .deleteFrom('job')
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where('leased_until', 'is not', null)
    .returning('id'),
);

const retryLeased = query<Lease & { due_at: string; last_error: string }>()((db, parameter) =>
  db
    .updateTable('job')
    .set({ ...all(parameter, ['due_at', 'last_error']), leased_until: null })
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where('leased_until', 'is not', null)
    .returning('id'),
);

/** Without `due_at` the job stays due since it was: a clock that is set back does not delay it. */
const releaseLeased = query<Lease & { due_at: string | null }>()((db, parameter) =>
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

/** Some 3 ms for the most that are counted. */
const countPending = query<{ kind: string; now: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('job')
        .select('id')
        .where('kind', '=', parameter.kind)
        .where((where) =>
          where.or([where('leased_until', 'is', null), where('leased_until', '<=', parameter.now)]),
        )
        .limit(parameter.limit)
        .as('counted'),
    )
    .select(sql<number>`count(*)`.as('count')),
);

export interface NewJob {
  readonly kind: JobKind;
  readonly key: string;
  /** The account that the job is done for. Accounts get equal shares. */
  readonly accountId: string;
  readonly at: Date;
  /** Whether it waits for the jobs of all accounts. */
  readonly isLast?: boolean;
}

/** Adds a job in the transaction of the unit. A job of the same kind and key stays as it is. */
export function* addJob({ isLast = false, ...job }: NewJob): UnitOfWork<void> {
  const startTag = isLast ? LAST_TAG : yield* takeStartTag(job.kind, job.accountId);
  yield* enqueueJob({ ...job, startTag });
}

export function* removeJob(kind: JobKind, key: string, at: Date): UnitOfWork<void> {
  yield* removeFromQueue({ kind, key, at });
}

/** The statement of a job step where jobs are a table of the store. */
export function storedJob(step: JobStep): QueryStep {
  const { kind, key, at } = step.job;
  if (step.kind === 'remove-job') return queryStep(deleteJob, { kind, key });
  const { accountId: account_id, startTag: turn } = step.job;
  const now = at.toISOString();
  return queryStep(insertJob, { kind, key, account_id, turn, due_at: now, created_at: now });
}

export function* leaseJobs(kind: JobKind, limit: number, now: Date): UnitOfWork<readonly Job[]> {
  const until = leaseEnd(kind, now);
  const leased = yield* rows(leaseDue, { kind, now: now.toISOString(), until, limit });
  // An update returns its rows in any order.
  const inOrder = [...leased].sort((a, b) => a.turn - b.turn || a.id - b.id);
  const last = highestTag(inOrder.map(({ turn }) => turn));
  if (last !== undefined) yield* advanceVirtualTime(kind, last);
  return inOrder.map(({ id, lease, key, attempts }) => ({
    id: [kind, id, lease].join('.'),
    key,
    attempt: attempts,
  }));
}

export function* extendLease(job: Job, now: Date): UnitOfWork<boolean> {
  const { kind, ...lease } = leaseOf(job);
  return (yield* row(extendLeased, { ...lease, until: leaseEnd(kind, now) })) !== undefined;
}

export function* completeJob(job: Job): UnitOfWork<boolean> {
  const { id, lease } = leaseOf(job);
  return (yield* row(deleteLeased, { id, lease })) !== undefined;
}

export function* retryJob(job: Job, reason: string, now: Date): UnitOfWork<boolean> {
  const { kind, ...lease } = leaseOf(job);
  const due_at = after(now, retryDelaySeconds(QUEUE_POLICIES[kind], job.attempt));
  return (yield* row(retryLeased, { ...lease, due_at, last_error: reason })) !== undefined;
}

export function* releaseJob(job: Job, delaySeconds: number, now: Date): UnitOfWork<boolean> {
  const { id, lease } = leaseOf(job);
  const due_at = delaySeconds > 0 ? after(now, delaySeconds) : null;
  return (yield* row(releaseLeased, { id, lease, due_at })) !== undefined;
}

export function* countPendingJobs(kind: JobKind, now: Date): UnitOfWork<number> {
  const values = { kind, now: now.toISOString(), limit: MAX_COUNTED_JOBS };
  return (yield* row(countPending, values))?.count ?? 0;
}

function retryDelaySeconds(policy: QueuePolicy, attempt: number): number {
  return Math.min(policy.retryDelaySeconds * 2 ** (attempt - 1), policy.maxRetryDelaySeconds);
}

function leaseEnd(kind: JobKind, now: Date): string {
  return after(now, QUEUE_POLICIES[kind].heartbeatSeconds);
}

function after(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1000).toISOString();
}

/** `Job.id` is `<kind>.<id>.<lease>`: the row, and which of its leases. */
function leaseOf(job: Job): Lease & { readonly kind: JobKind } {
  const [kind, id, lease] = job.id.split('.');
  return { kind: kind as JobKind, id: Number(id), lease: Number(lease) };
}
