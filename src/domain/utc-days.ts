import { DAY_MS } from './duration.ts';

/** The UTC day of a time: `2026-01-31`. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/**
 * A day in the form `2026-01-31`. `Date` rolls over days that do not exist, such as February 30th.
 */
export function parseDay(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && dayOf(date) === text ? text : undefined;
}

/** The first of that many days up to the current one. */
export function firstDay(now: Date, days: number): string {
  return dayOf(new Date(now.getTime() - (days - 1) * DAY_MS));
}

/** So many days up to the current one, oldest first. */
export function daysUpTo(now: Date, days: number): readonly string[] {
  return Array.from({ length: days }, (_, index) => firstDay(now, days - index));
}
