import type { ClockReading } from '../../domain/clock-jump.ts';
import type { AuditContext } from '../../ports/audit-context.ts';
import { all, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { writeAudit } from './accounts/audit.ts';

interface ClockColumns {
  clock_at: string;
  clock_timer: string;
  clock_timer_ms: number;
}

const COLUMNS = ['clock_at', 'clock_timer', 'clock_timer_ms'] as const;

const selectMark = query()((db) => db.selectFrom('installation').select(COLUMNS));

const updateMark = query<ClockColumns>()((db, parameter) =>
  db.updateTable('installation').set(all(parameter, COLUMNS)),
);

export function* findClockMark(): UnitOfWork<ClockReading | undefined> {
  const { clock_at, clock_timer, clock_timer_ms } = (yield* row(selectMark, {})) ?? {};
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
  const before = yield* findClockMark();
  yield* saveClockMark(reading);
  yield* writeAudit(audit, 'clock.confirm', reading.at.toISOString(), {
    lastKnown: before?.at.toISOString() ?? null,
  });
}
