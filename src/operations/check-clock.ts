import { type ClockReading, clockDrift, formatDrift, isJump } from '../domain/clock-jump.ts';
import { MINUTE_MS } from '../domain/duration.ts';
import type { AuditContext } from '../ports/audit-context.ts';
import type { Clock, ClockStore, Timer } from '../ports/clock.ts';

/** Clocks that NTP synchronizes differ by milliseconds. */
const MAX_OFFSET_MS = 5000;
/** How old the stored mark may be. A gap across a restart is overestimated by at most this. */
const MARK_EVERY_MS = 10 * MINUTE_MS;

export interface ClockDependencies {
  readonly store: { readonly clock: ClockStore };
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Why the time cannot be trusted. */
export interface ClockFault {
  /**
   * `offset`: the clock of this machine differs from that of the database. `jump`: the clock has
   * jumped since the last mark.
   */
  readonly kind: 'offset' | 'jump';
  readonly driftMs: number;
}

/** Compares this machine with the database. It needs no query. */
export function findOffset(clock: Clock): ClockFault | undefined {
  const driftMs = clock.machineOffsetMs() ?? 0;
  return Math.abs(driftMs) > MAX_OFFSET_MS ? { kind: 'offset', driftMs } : undefined;
}

/** The current time, or why it cannot be trusted. */
export type CheckedTime = { readonly now: Date } | { readonly fault: ClockFault };

/**
 * Compares the clock with that of the database and with the stored mark, and renews the mark while
 * the clock is right. After a jump the mark stays as it is, so the fault ends only when the clock
 * is correct again or an operator confirms it.
 */
export async function checkClock(deps: ClockDependencies): Promise<CheckedTime> {
  const mark = await deps.store.clock.mark();
  const reading = readClock(deps);
  const fault = findOffset(deps.clock) ?? findJump(mark, reading);
  if (fault !== undefined) return { fault };
  if (mark === undefined || reading.at.getTime() - mark.at.getTime() > MARK_EVERY_MS)
    await deps.store.clock.saveMark(reading);
  return { now: reading.at };
}

/** As `checkClock`, but does not write the mark. */
export async function readFault(deps: ClockDependencies): Promise<ClockFault | undefined> {
  const mark = await deps.store.clock.mark();
  return findOffset(deps.clock) ?? findJump(mark, readClock(deps));
}

function findJump(mark: ClockReading | undefined, reading: ClockReading): ClockFault | undefined {
  const driftMs = mark === undefined ? 0 : clockDrift(mark, reading);
  return isJump(driftMs) ? { kind: 'jump', driftMs } : undefined;
}

export async function confirmClock(deps: ClockDependencies, audit: AuditContext): Promise<void> {
  await deps.store.clock.confirm(readClock(deps), audit);
}

/** A message for the operator: the fault and its remedy. */
export function explainFault({ kind, driftMs }: ClockFault): string {
  const drift = formatDrift(driftMs);
  return kind === 'offset'
    ? `the clock of this machine is ${drift} that of the database: set it right`
    : `the clock is ${drift} where it should be: set it right, or run "rapsheet clock confirm" if it is right now`;
}

function readClock({ clock, timer }: Pick<ClockDependencies, 'clock' | 'timer'>): ClockReading {
  return { at: clock.now(), timer: timer.id, timerMs: timer.elapsedMs() };
}
