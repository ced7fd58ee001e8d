import type { Log } from '../observability/log.ts';

/** Background work that never ends. It is done in slices, so that requests run in between. */
export interface HousekeepingTask {
  /** For the log: `<name> failed`. */
  readonly name: string;
  /** Does a part of the work and returns the number of rows processed; 0 if there is none left. */
  runSlice(now: Date): Promise<number>;
  /** The pause after a slice that had nothing to do. */
  readonly intervalMs: number;
}

const SLICE_PAUSE_MS = 20;
/** While the clock is wrong, the task checks it again at least this often. */
const CLOCK_RETRY_MS = 2000;

/** The time for housekeeping; `undefined` while the clock cannot be trusted. */
export type TrustedTime = () => Promise<Date | undefined>;

/** Runs a task until the returned function is called. */
export function startTask(
  { name, runSlice, intervalMs }: HousekeepingTask,
  log: Log,
  trustedTime: TrustedTime,
): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const schedule = (ms: number) => {
    if (isStopped) return;
    timer = setTimeout(() => void run(), ms);
    timer.unref();
  };
  const run = async () => {
    try {
      const now = await trustedTime();
      if (now === undefined) schedule(Math.min(intervalMs, CLOCK_RETRY_MS));
      else schedule((await runSlice(now)) > 0 ? SLICE_PAUSE_MS : intervalMs);
    } catch (err) {
      log.error({ err }, `${name} failed`);
      schedule(intervalMs);
    }
  };
  schedule(SLICE_PAUSE_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
