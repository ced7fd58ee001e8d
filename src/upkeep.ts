import type { Log } from './observability/log.ts';

/** Work that is done a little at a time, with room for others in between. */
export interface Chore {
  /** What failed, for the log. */
  readonly name: string;
  /** Does a slice, and says how much it found to do; 0: nothing is left for now. */
  slice(): Promise<number>;
  /** Until it looks again after there was nothing. */
  readonly everyMs: number;
}

const PAUSE_MS = 20;

/** Keeps a chore going. Returns what ends it. */
export function keepUp({ name, slice, everyMs }: Chore, log: Log): () => void {
  let timer: NodeJS.Timeout;
  let isEnded = false;
  const next = (ms: number) => {
    if (isEnded) return;
    timer = setTimeout(() => void work(), ms);
    timer.unref();
  };
  const work = async () => {
    try {
      next((await slice()) > 0 ? PAUSE_MS : everyMs);
    } catch (err) {
      log.error({ err }, `${name} failed`);
      next(everyMs);
    }
  };
  next(PAUSE_MS);
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}
