import { DAY_MS, HOUR_MS } from '../../domain/duration.ts';
import type { SeededRandom } from './random.ts';

/** The days of invented history. */
export const DEMO_DAYS = 41;

/** A time in the past at which somebody starts to report: more of them lately than long ago. */
export function startOf(random: SeededRandom, now: number): number {
  const share = 1 - Math.sqrt(random.next());
  return atWork(random, now - share * DEMO_DAYS * DAY_MS, now);
}

/** Moves most times of a weekend to Monday, and most of the night to the day. */
export function atWork(random: SeededRandom, time: number, now: number): number {
  const isWeekend = [0, 6].includes(new Date(time).getUTCDay());
  const weekday = isWeekend && random.chance(0.6) ? time + 2 * DAY_MS : time;
  const isNight = new Date(weekday).getUTCHours() < 6;
  const shifted = isNight && random.chance(0.65) ? weekday + 7 * HOUR_MS : weekday;
  return shifted < now ? shifted : time;
}
