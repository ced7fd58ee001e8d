import { noStatuses } from '../../../domain/reports/statistics.ts';
import { noReporterCounts, reportsOf, sumCounts } from '../../../domain/trust/outcome.ts';
import type { ServiceCounts } from '../../../domain/trust/scorecard.ts';
import type { CountedReporter } from '../../../ports/trust-store.ts';
import {
  ACKNOWLEDGED_COLUMNS,
  ACTED_COLUMNS,
  REPORTER_COLUMNS,
  STATUS_COLUMNS,
  TOTAL_COLUMNS,
} from '../../schema/statistic-tables.ts';
import { query } from '../../units/query.ts';
import { inParallel, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { countedFrom } from './fill-statistics.ts';

const selectReporter = query<{ name: string }>()((db, parameter) =>
  db.selectFrom('account').select(['id', 'name', 'roles']).where('name', '=', parameter.name),
);

/** One row for each feed, however many reports there are, as in the next query. */
const selectCounts = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('statistic_reporter')
    .innerJoin('service', 'service.id', 'statistic_reporter.service_id')
    .select('service.slug')
    .select(REPORTER_COLUMNS.map((column) => `statistic_reporter.${column}` as const))
    .where('statistic_reporter.reporter_id', '=', parameter.id),
);

const selectDeleted = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('deleted_judgement')
    .innerJoin('service', 'service.id', 'deleted_judgement.service_id')
    .select('service.slug')
    .select(['deleted_judgement.judged_right', 'deleted_judgement.judged_wrong'])
    .where('deleted_judgement.reporter_id', '=', parameter.id),
);

const selectTotals = query<{ slug: string }>()((db, parameter) =>
  db
    .selectFrom('service')
    .innerJoin('statistic_total', 'statistic_total.scope', 'service.id')
    .select(TOTAL_COLUMNS.map((column) => `statistic_total.${column}` as const))
    .where('service.slug', '=', parameter.slug),
);

const DAY_COUNTS = ['recurrences', ...ACTED_COLUMNS, ...ACKNOWLEDGED_COLUMNS] as const;

/** The day, then `DAY_COUNTS`. */
const selectDays = query<{ slug: string; from: string }, [string, ...number[]]>('arrays')(
  (db, parameter) =>
    db
      .selectFrom('service')
      .innerJoin('statistic_day', 'statistic_day.scope', 'service.id')
      .select('statistic_day.day')
      .select(DAY_COUNTS.map((column) => `statistic_day.${column}` as const))
      .where('service.slug', '=', parameter.slug)
      .where('statistic_day.day', '>=', parameter.from)
      .orderBy('statistic_day.day'),
);

export function* readReporter(name: string): UnitOfWork<CountedReporter | undefined> {
  const account = yield* row(selectReporter, { name });
  if (account === undefined) return undefined;
  const { id } = account;
  const counts = yield* rows(selectCounts, { id });
  const deleted = yield* rows(selectDeleted, { id });
  const roles: readonly string[] = JSON.parse(account.roles);
  return {
    id: account.id,
    name: account.name,
    isResearcher: roles.includes('researcher'),
    services: [...Map.groupBy([...counts, ...deleted], ({ slug }) => slug)]
      .map(([service, parts]) => ({
        ...sumCounts(
          parts.map(({ slug: _, ...columns }) => ({ ...noReporterCounts(), ...columns })),
        ),
        service,
      }))
      // Otherwise all reports were deleted, and none was judged.
      .filter((one) => reportsOf(one) + one.judged_right + one.judged_wrong > 0),
    isComplete: (yield* countedFrom()) === 0,
  };
}

export function* readScorecard(slug: string, from: string): UnitOfWork<ServiceCounts> {
  const { totals, days, position } = yield* inParallel({
    totals: row(selectTotals, { slug }),
    days: rows(selectDays, { slug, from }),
    position: countedFrom(),
  });
  const statuses = noStatuses();
  for (const status of STATUS_COLUMNS) statuses[status] = totals?.[status] ?? 0;
  const sums = DAY_COUNTS.map((_, index) =>
    days.reduce((sum, [, ...counts]) => sum + (counts[index] ?? 0), 0),
  );
  return {
    statuses,
    confirmed: totals?.confirmed ?? 0,
    contradicted: totals?.contradicted ?? 0,
    misrouted: totals?.misrouted ?? 0,
    recurrences: totals?.recurrences ?? 0,
    recurrenceDays: days.flatMap(([day, count = 0]) => (count === 0 ? [] : { day, count })),
    timeToAct: sums.slice(1, 1 + ACTED_COLUMNS.length),
    timeToAcknowledge: sums.slice(1 + ACTED_COLUMNS.length),
    isComplete: position === 0,
  };
}
