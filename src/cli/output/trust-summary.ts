import type {
  Precision,
  ReporterStatistics,
  ServiceStatistics,
  TimesTaken,
} from '../../client/wire.ts';
import type { Columns } from './list.ts';
import { fields } from './show.ts';
import { formatSeconds, noteOf } from './statistics-summary.ts';
import { table } from './table.ts';

/** A row per feed. */
export const outcomeColumns: Columns<ReporterStatistics['services'][number]> = [
  { name: 'service', value: ({ service }) => service },
  { name: 'reports', value: ({ totals }) => totals.reports },
  { name: 'actioned', value: ({ totals }) => totals.actioned },
  { name: 'rejected', value: ({ totals }) => sum(Object.values(totals.rejected)) },
  { name: 'confirmed', value: ({ totals }) => totals.confirmed },
  { name: 'contradicted', value: ({ totals }) => totals.contradicted },
  { name: 'precision', value: ({ precision }) => precision?.value },
  { name: 'precision_lower', value: ({ precision }) => precision?.lower },
  { name: 'precision_upper', value: ({ precision }) => precision?.upper },
];

/** The outcomes of a reporter, in total and by feed. */
export function showReporter(shown: ReporterStatistics): string {
  const { totals, precision, services } = shown;
  const summary = fields([
    ['reporter', shown.reporter],
    ['reports', `${totals.reports}: ${listOf(outcomesOf(totals))}`],
    ['files', listOf(confirmationsOf(totals))],
    ['precision', formatPrecision(precision)],
    ...noteOf(shown),
  ]);
  if (services.length === 0) return summary;
  const rows = services.map((one) => [
    one.service,
    String(one.totals.reports),
    String(one.totals.actioned),
    String(sum(Object.values(one.totals.rejected))),
    String(one.totals.confirmed),
    String(one.totals.contradicted),
    formatPrecision(one.precision),
  ]);
  const heads = ['SERVICE', 'REPORTS', 'ACTIONED', 'REJECTED', 'CONFIRMED', 'CONTRADICTED'];
  return `${summary}\n\n${table([...heads, 'PRECISION'], rows)}`;
}

type Totals = ReporterStatistics['totals'];

function outcomesOf({ open, acknowledged, actioned, expired, rejected }: Totals) {
  const reasons = Object.entries(rejected).map(
    ([reason, count]) => [`rejected (${reason})`, count] as const,
  );
  return [...Object.entries({ open, acknowledged, actioned, expired }), ...reasons];
}

function confirmationsOf(counts: Pick<Totals, 'confirmed' | 'contradicted' | 'unknown'>) {
  const { confirmed, contradicted, unknown } = counts;
  return Object.entries({ confirmed, contradicted, unknown });
}

function listOf(counts: readonly (readonly [string, number])[]): string {
  const parts = counts.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Never without its interval: the mean of a few reports says little. */
function formatPrecision(precision: Precision | null): string {
  if (precision === null) return 'no report is judged yet';
  const { value, lower, upper, right, wrong } = precision;
  return `${percent(value)} (${percent(lower)} to ${percent(upper)}), ${right} of ${right + wrong} right`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** How a service deals with its reports, and the days with recurrences. */
export function showScorecard(shown: ServiceStatistics): string {
  const { backlog, reports, recurrences } = shown;
  const days = recurrences.days.filter(({ count }) => count > 0);
  const summary = fields([
    ['service', shown.service],
    ['backlog', `${backlog.open} open, ${backlog.acknowledged} acknowledged`],
    ['reports', `${reports.total}: ${listOf(confirmationsOf(reports))}`],
    ['misrouted', String(shown.misrouted)],
    ['acknowledged in', formatTimes(shown.timeToAcknowledge)],
    ['acted in', formatTimes(shown.timeToAct)],
    [
      'recurrences',
      `${recurrences.total}, ${sum(days.map(({ count }) => count))} in ${recurrences.days.length} days`,
    ],
    ...noteOf(shown),
  ]);
  if (days.length === 0) return summary;
  const rows = days.map(({ day, count }) => [day, String(count)]);
  return `${summary}\n\n${table(['DAY', 'RECURRENCES'], rows)}`;
}

function formatTimes({ median, p90, count }: TimesTaken): string {
  if (count === 0) return 'no report was answered';
  return `about ${formatSeconds(median)} (median), ${formatSeconds(p90)} (90 %), of ${count}`;
}
