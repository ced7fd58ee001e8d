import type { Queue } from '../ports/queue.ts';
import {
  completeJob,
  countPendingJobs,
  extendLease,
  leaseJobs,
  releaseJob,
  retryJob,
} from '../storage/tables/jobs/jobs.ts';
import type { Runner } from '../storage/units/runner.ts';

/** Jobs are rows of the same database as the store, so a unit of work can add them. */
export function sqliteQueue(runner: Runner, now: () => Date): Queue {
  return {
    lease: (kind, limit) => runner.write(() => leaseJobs(kind, limit, now())),
    heartbeat: (job) => runner.write(() => extendLease(job, now())),
    complete: (job) => runner.write(() => completeJob(job)),
    retry: (job, reason) => runner.write(() => retryJob(job, reason, now())),
    release: (job, { delaySeconds = 0 } = {}) =>
      runner.write(() => releaseJob(job, delaySeconds, now())),
    countPending: (kind) => runner.read(() => countPendingJobs(kind, now())),
  };
}
