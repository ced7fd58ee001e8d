import { useSyncExternalStore } from 'react';
import { formatAge, formatUtc, parseTime } from '../../text/format.ts';

interface Props {
  /** As the API has it. */
  readonly at: string;
  /** Shows the full time too, as in detail views. */
  readonly isFull?: boolean;
}

/** A time, relative to now; the tooltip has the full time in UTC. */
export function Time({ at, isFull = false }: Props) {
  const now = useNow();
  const time = parseTime(at);
  const full = formatUtc(time);
  return (
    <time dateTime={time.toISOString()} title={full}>
      {formatAge(time, isSince(now, time) ? time : now)}
      {isFull && ` · ${full}`}
    </time>
  );
}

const TICK_MS = 15_000;

/** Whether the time may have come since the last update: what just happened is not to come. */
function isSince(updated: Date, time: Date): boolean {
  const aheadMs = time.getTime() - updated.getTime();
  return aheadMs > 0 && aheadMs <= 2 * TICK_MS;
}

const listeners = new Set<() => void>();
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, updated every few seconds, for all that show an age. */
function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = new Date();
    timer = setInterval(tick, TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  now = new Date();
  for (const listener of listeners) listener();
}
