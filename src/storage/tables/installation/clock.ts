import type { ClockReading } from '../../../domain/clock-jump.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import { writeAudit } from '../../units/audit.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

interface ClockColumns {
  clock_at: string;
  clock_timer: string;
  clock_timer_ms: number;
}

const COLUMNS = ['clock_at', 'clock_timer', 'clock_timer_ms'] as const;

export const selectClockMark = query()((db) => db.selectFrom('installation').select(COLUMNS));

const updateMark = query<ClockColumns>()((db, parameter) =>
  db.updateTable('installation').set(all(parameter, COLUMNS)),
);

export function toClockMark(
  found: { readonly [Column in keyof ClockColumns]: ClockColumns[Column] | null } | undefined,
): ClockReading | undefined {
  const { clock_at, clock_timer, clock_timer_ms } = found ?? {};
  if (!clock_at || !clock_timer || typeof clock_timer_ms !== 'number') return undefined;
  return { at: new Date(clock_at), timer: clock_timer, timerMs: clock_timer_ms };
}

export function* saveClockMark({ at, timer, timerMs }: ClockReading): UnitOfWork<void> {
  yield* rows(updateMark, {
    clock_at: at.toISOString(),
    clock_timer: timer,
    clock_timer_ms: Math.floor(timerMs),
  });
}

export function* confirmClock(reading: ClockReading, audit: AuditContext): UnitOfWork<void> {
  const before = toClockMark(yield* row(selectClockMark, {}));
  yield* saveClockMark(reading);
  yield* writeAudit(audit, 'clock.confirm', reading.at.toISOString(), {
    lastKnown: before?.at.toISOString() ?? null,
  });
}
