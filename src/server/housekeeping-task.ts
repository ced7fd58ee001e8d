import type { WorkWatch } from '../jobs/work-watch.ts';
import type { Log } from '../observability/log.ts';
import type { PendingWork } from '../ports/pending-work.ts';

/** Background work that never ends. It is done in slices, so that requests run in between. */
export interface HousekeepingTask {
  /** For the log: `<name> failed`. */
  readonly name: string;
  /** Does a part of the work and returns the number of rows processed; 0 if there is none left. */
  runSlice(now: Date): Promise<number>;
  /** The pause after a slice that had nothing to do, or the work that is to be done. */
  readonly trigger: { readonly everyMs: number } | { readonly pending: keyof PendingWork };
}

const SLICE_PAUSE_MS = 20;
/** While the clock is wrong, the task checks it again at least this often. */
const CLOCK_RETRY_MS = 2000;

/** The time for housekeeping; `undefined` while the clock cannot be trusted. */
export type TrustedTime = () => Promise<Date | undefined>;

interface TaskDependencies {
  readonly log: Log;
  readonly trustedTime: TrustedTime;
  readonly watch: Pick<WorkWatch, 'on'>;
}

/** Runs a task until the returned function is called. */
export function startTask(
  { name, runSlice, trigger }: HousekeepingTask,
  { log, trustedTime, watch }: TaskDependencies,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const schedule = (ms: number) => {
    if (isStopped) return;
    timer = setTimeout(() => void run(), ms);
    timer.unref();
  };
  const pause = (maxMs: number) => {
    timer = undefined;
    // The next look wakes the others.
    if ('everyMs' in trigger) schedule(Math.min(trigger.everyMs, maxMs));
  };
  const run = async () => {
    try {
      const now = await trustedTime();
      if (now === undefined) pause(CLOCK_RETRY_MS);
      else if ((await runSlice(now)) > 0) schedule(SLICE_PAUSE_MS);
      else pause(Number.POSITIVE_INFINITY);
    } catch (err) {
      log.error({ err }, `${name} failed`);
      pause(Number.POSITIVE_INFINITY);
    }
  };
  const wake = () => {
    if (timer === undefined) schedule(0);
  };
  if ('everyMs' in trigger) schedule(SLICE_PAUSE_MS);
  else watch.on(trigger.pending, wake);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
