import { type ClockReading, clockDrift, formatDrift, isJump } from '../domain/clock-jump.ts';
import type { AuditContext } from '../ports/audit-context.ts';
import type { Clock, ClockStore, Timer } from '../ports/clock.ts';

/** Nodes whose clocks are kept right by NTP differ by milliseconds. */
const MOST_OFFSET_MS = 5000;
/** How old the mark in the store may be. It says by how much a gap across a restart is overestimated. */
const MARK_EVERY_MS = 600_000;

export interface ClockDependencies {
  readonly store: { readonly clock: ClockStore };
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Why the time cannot be trusted. */
export interface ClockFault {
  /** `offset`: this machine differs from the database. `jump`: time has jumped since it was last known to be right. */
  readonly kind: 'offset' | 'jump';
  readonly driftMs: number;
}

/** The fault of this machine alone, known without asking the store. */
export function findOffset(clock: Clock): ClockFault | undefined {
  const driftMs = clock.machineOffsetMs() ?? 0;
  return Math.abs(driftMs) > MOST_OFFSET_MS ? { kind: 'offset', driftMs } : undefined;
}

/** What time it is, where that can be trusted. */
export type CheckedTime = { readonly now: Date } | { readonly fault: ClockFault };

/**
 * Compares the clock with the database's and with the mark in the store. While it is right the mark is kept up to date;
 * after a jump it stays, so that nothing but a correct clock or an operator ends the fault.
 */
export async function checkClock(deps: ClockDependencies): Promise<CheckedTime> {
  const mark = await deps.store.clock.mark();
  const reading = readClock(deps);
  const fault = findOffset(deps.clock) ?? findJump(mark, reading);
  if (fault !== undefined) return { fault };
  if (mark === undefined || reading.at.getTime() - mark.at.getTime() > MARK_EVERY_MS)
    await deps.store.clock.keepMark(reading);
  return { now: reading.at };
}

/** The same question, without keeping the mark: nothing is changed. */
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

/** For operators: what is wrong, and what to do. */
export function explainFault({ kind, driftMs }: ClockFault): string {
  const drift = formatDrift(driftMs);
  return kind === 'offset'
    ? `the clock of this machine is ${drift} that of the database: set it right`
    : `the clock is ${drift} where it should be: set it right, or run "rapsheet clock confirm" if it is right now`;
}

function readClock({ clock, timer }: Pick<ClockDependencies, 'clock' | 'timer'>): ClockReading {
  return { at: clock.now(), timer: timer.id, timerMs: timer.elapsedMs() };
}
