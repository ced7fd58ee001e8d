import type { Dependencies } from '../dependencies.ts';

export interface QueueState {
  /** Each of the counts is at most 10 000. */
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
  readonly oldestUploadedAt: Date | undefined;
}

/** The uploads that wait for an analysis, those whose analysis has begun, and those that failed. */
export async function showQueue({
  store: { samples },
}: Pick<Dependencies, 'store'>): Promise<QueueState> {
  const [unfinished, failed] = await Promise.all([samples.unfinished(), samples.countFailed()]);
  const { count, running, oldestUploadedAt } = unfinished;
  return { waiting: count - running, running, failed, oldestUploadedAt };
}
