import { sql } from 'kysely';
import { dayPartOf } from '../../../domain/reports/day-part.ts';
import { query } from '../../units/query.ts';
import { each, eachDeferred, type UnitOfWork } from '../../units/unit-of-work.ts';

interface DayKey {
  service_id: number;
  day: string;
}

const selectReports = query<DayKey>()((db, parameter) =>
  db
    .selectFrom('report_day')
    .select('reports')
    .where('service_id', '=', parameter.service_id)
    .where('day', '=', parameter.day),
);

const putReports = query<DayKey & { reports: number }>()((db, parameter) =>
  db
    .insertInto('report_day')
    .values({
      service_id: parameter.service_id,
      day: parameter.day,
      reports: parameter.reports,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['service_id', 'day'])
        .doUpdateSet({ reports: sql<number>`excluded.reports` }),
    ),
);

/** A report to be created. */
export interface DatedReport {
  readonly serviceId: number;
  readonly reportedAt: Date;
}

interface DayCount extends DayKey {
  reports: number;
  isChanged: boolean;
}

/** Gives new reports their parts, and counts them by feed and day. */
export class DayParts {
  readonly #counts = new Map<string, DayCount>();

  constructor(reports: readonly DatedReport[]) {
    for (const report of reports)
      this.#counts.set(keyOf(report), {
        service_id: report.serviceId,
        day: dayOf(report),
        reports: 0,
        isChanged: false,
      });
  }

  /** The caller locks the feeds with it. */
  *load(): UnitOfWork<void> {
    const counts = [...this.#counts.values()];
    const found = yield* each(
      selectReports,
      counts.map(({ service_id, day }) => ({ service_id, day })),
    );
    for (const [index, count] of counts.entries()) count.reports = found[index]?.[0]?.reports ?? 0;
  }

  /** The part of the next report of its feed and day. */
  take(report: DatedReport): number {
    const count = this.#counts.get(keyOf(report));
    if (count === undefined) throw new Error('a report is created that was not announced');
    count.reports += 1;
    count.isChanged = true;
    return dayPartOf(count.reports);
  }

  *write(): UnitOfWork<void> {
    const changed = [...this.#counts.values()].filter(({ isChanged }) => isChanged);
    yield* eachDeferred(
      putReports,
      changed.map(({ service_id, day, reports }) => ({ service_id, day, reports })),
    );
  }
}

function dayOf({ reportedAt }: DatedReport): string {
  return reportedAt.toISOString().slice(0, 10);
}

function keyOf(report: DatedReport): string {
  return `${report.serviceId} ${dayOf(report)}`;
}
