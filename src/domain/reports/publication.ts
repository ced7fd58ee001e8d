import { MINUTE_MS } from '../duration.ts';

/**
 * Bulk creates of a million reports are as far ahead. If it is more, the clock was probably set
 * back, by an amount that readers should not have to wait for.
 */
const MAX_AHEAD_MS = 15 * MINUTE_MS;

/**
 * The last time of changes that readers are told, in milliseconds. A feed with more than 1,000
 * changes a second gives them times after `now`, because each has a millisecond of its own.
 */
export function publishedUntil(lastChange: number, now: number): number {
  return lastChange > now + MAX_AHEAD_MS ? lastChange : Math.min(lastChange, now);
}
