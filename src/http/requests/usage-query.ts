import { z } from 'zod';
import { parseDay } from '../../domain/utc-days.ts';
import type { UsageQuery } from '../../operations/accounts/show-usage.ts';
import { CURSOR, DAY } from '../openapi/text-formats.ts';
import { field, integerText, parsed, strictObject } from './field-rules.ts';

const MAX_ENTRIES = 1000;
const DEFAULT_ENTRIES = 500;
const DAY_RULE = 'a UTC day of the form YYYY-MM-DD';

export const USAGE_RULE =
  'The entries come a page at a time, those of the newest day first: every page has all days with ' +
  'their units, but only its own entries, so that the entries of a day may be on two pages.';

const day = (details: string) =>
  field(DAY_RULE, parsed(parseDay, DAY).optional(), { details, example: '2026-11-16' });

export const usageQuery = strictObject({
  day: day('Only this day'),
  from: day('Only this day and later ones'),
  to: day('Only this day and earlier ones'),
  limit: field(`an integer from 1 to ${MAX_ENTRIES}`, integerText(1, MAX_ENTRIES).optional(), {
    details: `The number of entries on a page; ${DEFAULT_ENTRIES} by default`,
  }),
  cursor: z
    .string()
    .optional()
    .meta({ description: '`nextCursor` of the previous page, with the same days', ...CURSOR }),
})
  .refine(({ day, from, to }) => day === undefined || (from === undefined && to === undefined), {
    error: 'day cannot be combined with from or to.',
  })
  .refine(({ from = '', to = '9' }) => from <= to, { error: 'from must not be after to.' });

export function toUsageQuery(query: z.output<typeof usageQuery>): UsageQuery {
  const { day, from = day, to = day, cursor, limit = DEFAULT_ENTRIES } = query;
  return { from, to, cursor, limit };
}
