import { sql } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import type { Backlog, BacklogWish, JobKind, Queue } from '../ports/queue.ts';
import type { Serializers, Store } from '../ports/store.ts';
import {
  claimJobs,
  completeJob,
  countJobsOf,
  extendJob,
  releaseJob,
  retryJob,
} from '../storage/sql/jobs.ts';
import { openSqliteRunner } from '../storage/sqlite/open.ts';
import { storeOver } from '../storage/store.ts';
import { query, type Runner, row, type UnitOfWork } from '../storage/unit-of-work.ts';

/** The job table beside the rest of the store: jobs are added in the transaction of what they are about. */
export function sqliteQueue(runner: Runner): Queue {
  return {
    claim: (kind, wish) => runner.write(() => claimJobs(kind, wish)),
    extend: (job, until) => runner.write(() => extendJob(job, until)),
    complete: (job) => runner.write(() => completeJob(job)),
    retry: (job, at, reason) => runner.write(() => retryJob(job, at, reason)),
    release: (job, at) => runner.write(() => releaseJob(job, at)),
    depth: (kind) => runner.read(() => countJobsOf(kind)),
    backlog: (kind, wish) => runner.read(() => findBacklog(kind, wish)),
  };
}

/** In the order in which they are claimed, so that of very many the next ones are seen: 10 000 take some 3 ms. */
const waitingJobs = query<{ kind: string; now: string; most: number }>()((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('job')
        .select('created_at')
        .where('kind', '=', parameter.kind)
        .where((where) =>
          where.or([where('leased_until', 'is', null), where('leased_until', '<=', parameter.now)]),
        )
        .orderBy('turn')
        .limit(parameter.most)
        .as('waiting'),
    )
    .select([
      sql<number>`count(*)`.as('count'),
      sql<string | null>`min(waiting.created_at)`.as('oldest'),
    ]),
);

function* findBacklog(kind: JobKind, { most, now }: BacklogWish): UnitOfWork<Backlog> {
  const { count = 0, oldest = null } =
    (yield* row(waitingJobs, { kind, now: now.toISOString(), most })) ?? {};
  // A clock that was set back makes nothing younger than new.
  const oldestMs = oldest === null ? undefined : Math.max(0, now.getTime() - Date.parse(oldest));
  return { waiting: count, oldestMs };
}

/** Store and queue over one connection; closing the store closes both. */
export function openSqliteDatabase(
  file: string,
  serializers: Serializers,
): { readonly store: Store; readonly queue: Queue; readonly clock: Clock } {
  const runner = openSqliteRunner(file);
  return { store: storeOver(runner, serializers), queue: sqliteQueue(runner), clock: MACHINE_TIME };
}

/** One machine has the store to itself, so its clock decides. */
const MACHINE_TIME: Clock = { now: () => new Date(), machineOffsetMs: () => undefined };
