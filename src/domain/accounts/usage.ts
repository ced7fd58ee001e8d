import { DAY_MS } from '../duration.ts';

/** The days whose units are shown and kept, the current one included. */
export const USAGE_DAYS = 90;

/** The first of that many UTC days up to the current one: `2026-01-31`. */
export function usageStart(now: Date, days: number): string {
  return dayOf(new Date(now.getTime() - (days - 1) * DAY_MS));
}

/** The days before `now` up to its own, oldest first. */
export function daysUpTo(now: Date, days: number): readonly string[] {
  return Array.from({ length: days }, (_, index) => usageStart(now, days - index));
}

export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
