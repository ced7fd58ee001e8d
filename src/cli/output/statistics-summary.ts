import type { FeedStatistics } from '../../client/wire.ts';
import type { Columns } from './list.ts';
import { fields } from './show.ts';
import { table } from './table.ts';

/** All days, including those without a change. */
export const statisticColumns: Columns<FeedStatistics['days'][number]> = [
  { name: 'day', value: ({ day }) => day },
  { name: 'reported', value: ({ reported }) => reported },
  { name: 'actioned', value: ({ actioned }) => actioned },
  { name: 'rejected', value: ({ rejected }) => rejected },
  { name: 'expired', value: ({ expired }) => expired },
];

/** A few lines about a feed, its most frequent names, and the days on which something happened. */
export function showStatistics(shown: FeedStatistics): string {
  const { service, statuses, timeToAct, families, days } = shown;
  const total = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(statuses)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  const summary = fields([
    ['feed', service],
    ['reports', [String(total), parts.join(', ')].filter(Boolean).join(': ')],
    ['answered', `${timeToAct.acted} in ${days.length} days`],
    ['median time', formatSeconds(timeToAct.medianSeconds)],
    ...noteOf(shown),
  ]);
  return [summary, familyTable(families), dayTable(days)].filter(Boolean).join('\n\n');
}

/** A line that says so while counts are too low. */
export function noteOf({ complete }: { readonly complete: boolean }): readonly [string, string][] {
  return complete ? [] : [['note', 'older reports are still being counted']];
}

function familyTable(families: FeedStatistics['families']): string {
  if (families.length === 0) return '';
  return table(
    ['NAME', 'REPORTS'],
    families.map(({ name, reports }) => [name, String(reports)]),
  );
}

function dayTable(days: FeedStatistics['days']): string {
  const rows = days
    .map(({ day, reported, actioned, rejected, expired }) => ({
      day,
      counts: [reported, actioned, rejected, expired],
    }))
    .filter(({ counts }) => counts.some((count) => count > 0))
    .map(({ day, counts }) => [day, ...counts.map(String)]);
  if (rows.length === 0) return '';
  return table(['DAY', 'REPORTED', 'ACTIONED', 'REJECTED', 'EXPIRED'], rows);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function formatSeconds(seconds: number | null): string {
  if (seconds === null) return 'none';
  if (seconds < HOUR) return `${Math.round(seconds / MINUTE)} min`;
  return seconds < 2 * DAY ? `${(seconds / HOUR).toFixed(1)} h` : `${(seconds / DAY).toFixed(1)} d`;
}
