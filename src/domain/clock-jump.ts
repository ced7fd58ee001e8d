import { DAY_MS } from './duration.ts';

/** What the clock and a timer showed at one moment. */
export interface ClockReading {
  readonly at: Date;
  /**
   * Which timer it was: the machine since its last start, or a process. Readings of the same timer tell how much time
   * has really passed; those of another tell nothing.
   */
  readonly timer: string;
  readonly timerMs: number;
}

/** More than anybody corrects a clock by, and less than what housekeeping could destroy by it. */
const MOST_JUMP_MS = DAY_MS;

/** How far the clock has moved beyond the time that has passed since the earlier reading; negative: back. */
export function clockDrift(earlier: ClockReading, later: ClockReading): number {
  const isComparable = later.timer === earlier.timer && later.timerMs >= earlier.timerMs;
  const passedMs = isComparable ? later.timerMs - earlier.timerMs : 0;
  return later.at.getTime() - earlier.at.getTime() - passedMs;
}

export function isJump(driftMs: number): boolean {
  return Math.abs(driftMs) > MOST_JUMP_MS;
}

/** Such as `3.5 days ahead of`, or `12 s behind`. */
export function formatDrift(driftMs: number): string {
  const ms = Math.abs(driftMs);
  const size = ms >= DAY_MS ? `${(ms / DAY_MS).toFixed(1)} days` : `${(ms / 1000).toFixed(0)} s`;
  return `${size} ${driftMs < 0 ? 'behind' : 'ahead of'}`;
}
