import type { FeedFilter, FilterName } from '../feed/filters.ts';

/** The filters that a desk offers; the status is its view. */
export const DESK_FILTERS = [
  'reporter',
  'host',
  'domain',
  'name',
  'tag',
  'c2',
  'misrouted',
] as const;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The ages to filter by. They are relative, so that the address of the page can be kept. */
export const AGES: Readonly<Record<string, string>> = {
  '1d': 'last 24 hours',
  '7d': 'last 7 days',
  '30d': 'last 30 days',
  'over-7d': 'older than 7 days',
  'over-30d': 'older than 30 days',
};

/** An age as times of the API, rounded to the hour: a list is not read again for each second. */
export function periodOf(
  age: string | undefined,
  now: Date,
): Pick<FeedFilter, 'created_after' | 'created_before'> {
  const match = /^(over-)?(\d+)d$/.exec(age ?? '');
  if (match === null || AGES[match[0]] === undefined) return {};
  const start = now.getTime() - Number(match[2]) * DAY_MS;
  const time = new Date(Math.floor(start / HOUR_MS) * HOUR_MS);
  const text = `${time.toISOString().slice(0, 19)}Z`;
  return match[1] === undefined ? { created_after: text } : { created_before: text };
}

/** Whether the filter has more than the status. */
export function isNarrowed(filter: FeedFilter): boolean {
  return (Object.keys(filter) as FilterName[]).some(
    (name) => name !== 'status' && filter[name] !== undefined,
  );
}
