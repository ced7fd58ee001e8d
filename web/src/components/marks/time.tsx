import { Store } from '../../api/store.ts';
import { useStore } from '../../api/use-store.ts';
import { formatAge, formatUtc, parseTime } from '../../text/format.ts';

interface Props {
  /** A time in the format of the API. */
  readonly at: string;
  /** Shows the full time too, as in detail views. */
  readonly isFull?: boolean;
}

/** A time, relative to now; the tooltip has the full time in UTC. */
export function Time({ at, isFull = false }: Props) {
  const now = useStore(clock);
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

/** The time, updated every few seconds, for all components that show an age. */
const clock = new Store(new Date());
setInterval(() => clock.set(new Date()), TICK_MS);

/** Whether the time may have passed since the last update, so that it is not shown as future. */
function isSince(updated: Date, time: Date): boolean {
  const aheadMs = time.getTime() - updated.getTime();
  return aheadMs > 0 && aheadMs <= 2 * TICK_MS;
}
