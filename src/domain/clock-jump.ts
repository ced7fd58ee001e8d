import { DAY_MS } from './duration.ts';

/** The values of the clock and of a timer at one moment. */
export interface ClockReading {
  readonly at: Date;
  /**
   * The id of the timer: one boot of the machine, or one process. Only readings of the same timer
   * show how much time has passed.
   */
  readonly timer: string;
  readonly timerMs: number;
}

/** Corrections of a clock are smaller. Housekeeping does little harm by a smaller jump. */
const MAX_JUMP_MS = DAY_MS;

/** How far the clock has moved beyond the elapsed time; negative if it was set back. */
export function clockDrift(earlier: ClockReading, later: ClockReading): number {
  const isComparable = later.timer === earlier.timer && later.timerMs >= earlier.timerMs;
  const passedMs = isComparable ? later.timerMs - earlier.timerMs : 0;
  return later.at.getTime() - earlier.at.getTime() - passedMs;
}

export function isJump(driftMs: number): boolean {
  return Math.abs(driftMs) > MAX_JUMP_MS;
}

/** For example `3.5 days ahead of` or `12 s behind`. */
export function formatDrift(driftMs: number): string {
  const ms = Math.abs(driftMs);
  const size = ms >= DAY_MS ? `${(ms / DAY_MS).toFixed(1)} days` : `${(ms / 1000).toFixed(0)} s`;
  return `${size} ${driftMs < 0 ? 'behind' : 'ahead of'}`;
}
