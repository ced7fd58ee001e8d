import type { Queue } from '../ports/queue.ts';
import type { ReadyForms, Store } from '../ports/store.ts';
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
import type { Runner } from '../storage/unit-of-work.ts';

/** The job table beside the rest of the store: jobs are added in the transaction of what they are about. */
export function sqliteQueue(runner: Runner): Queue {
  return {
    claim: (kind, wish) => runner.write(() => claimJobs(kind, wish)),
    extend: (job, until) => runner.write(() => extendJob(job, until)),
    complete: (job) => runner.write(() => completeJob(job)),
    retry: (job, at, reason) => runner.write(() => retryJob(job, at, reason)),
    release: (job, at) => runner.write(() => releaseJob(job, at)),
    depth: (kind) => runner.read(() => countJobsOf(kind)),
  };
}

/** Store and queue over one connection; closing the store closes both. */
export function openSqliteDatabase(
  file: string,
  forms: ReadyForms,
): { readonly store: Store; readonly queue: Queue } {
  const runner = openSqliteRunner(file);
  return { store: storeOver(runner, forms), queue: sqliteQueue(runner) };
}
