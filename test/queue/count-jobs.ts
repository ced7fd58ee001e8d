import type { Queue } from '../../src/ports/queue.ts';

const MORE_THAN_ANY_TEST_ADDS = 1000;

/** Counts the jobs that can be leased now, by leasing and releasing them. */
export async function countJobs(queue: Queue): Promise<number> {
  const jobs = await queue.lease('analyse', MORE_THAN_ANY_TEST_ADDS);
  for (const job of jobs) await queue.release(job);
  return jobs.length;
}
