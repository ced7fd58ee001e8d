import type { Log } from '../observability/log.ts';

/** Work that is done a little at a time, with room for others in between. */
export interface Chore {
  /** What failed, for the log. */
  readonly name: string;
  /** Does a slice, and says how much it found to do; 0: nothing is left for now. */
  slice(now: Date): Promise<number>;
  /** Until it looks again after there was nothing. */
  readonly everyMs: number;
}

const PAUSE_MS = 20;
/** After a fault of the clock it goes on no later than this. */
const LOOK_AGAIN_MS = 2000;

/** The time by which housekeeping may act; `undefined` where it has to wait. */
export type TrustedTime = () => Promise<Date | undefined>;

/** Keeps a chore going. Returns what ends it. */
export function keepUp(
  { name, slice, everyMs }: Chore,
  log: Log,
  trustedTime: TrustedTime,
): () => void {
  let timer: NodeJS.Timeout;
  let isEnded = false;
  const next = (ms: number) => {
    if (isEnded) return;
    timer = setTimeout(() => void work(), ms);
    timer.unref();
  };
  const work = async () => {
    try {
      const now = await trustedTime();
      if (now === undefined) next(Math.min(everyMs, LOOK_AGAIN_MS));
      else next((await slice(now)) > 0 ? PAUSE_MS : everyMs);
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
