import { z } from 'zod';
import { CHARGED_OPERATIONS } from '../../domain/accounts/usage.ts';
import type { ShownUsage } from '../../operations/accounts/show-usage.ts';
import type { DayCharge } from '../../ports/account-usage.ts';
import { formatUtc } from './present.ts';
import { list, nextCursor, utc, uuid } from './schemas.ts';

const chargedToken = z
  .strictObject({
    id: uuid,
    label: z.string(),
    hint: z.string().meta({ description: 'How the token begins' }),
  })
  .meta({ id: 'ChargedToken', description: 'A token, also one that was revoked since' });

const usageEntry = z
  .strictObject({
    operation: z.string().meta({
      description: `What was charged: ${CHARGED_OPERATIONS.join(', ')}`,
      examples: [...CHARGED_OPERATIONS],
    }),
    token: chargedToken.nullable().meta({
      description:
        'The token of the calls, or of their session; null for sessions from sign-in links',
    }),
    units: z.int().min(1),
    firstAt: utc.meta({ description: 'The first charge of the day' }),
    lastAt: utc.meta({ description: 'The last charge of the day' }),
  })
  .meta({ id: 'UsageEntry', description: 'The units of a day, a token and an operation' });

const usageDay = z
  .strictObject({
    day: z.string().meta({ description: 'UTC, YYYY-MM-DD', examples: ['2026-11-16'] }),
    units: z.int().min(0),
    itemised: z.boolean().meta({
      description:
        'Whether the entries of all pages add up to the units. false for days before the server recorded entries',
    }),
    entries: list(usageEntry),
  })
  .meta({ id: 'UsageDay', description: 'The units of a day and what they were charged for' });

export const usageShown = z
  .strictObject({
    days: list(usageDay).meta({
      description: 'The last 90 days, oldest first; the last one is the current day',
    }),
    nextCursor,
    hasMore: z.boolean(),
    successful: z.literal(true),
  })
  .meta({ id: 'Usage', description: 'The units that the account was charged on each day' });

export function presentUsage({ days, nextCursor }: ShownUsage): z.output<typeof usageShown> {
  return {
    days: days.map(({ entries, ...day }) => ({ ...day, entries: entries.map(presentEntry) })),
    nextCursor: nextCursor ?? null,
    hasMore: nextCursor !== undefined,
    successful: true,
  };
}

function presentEntry({ operation, token, units, firstAt, lastAt }: DayCharge) {
  return {
    operation,
    token: token ?? null,
    units,
    firstAt: formatUtc(firstAt),
    lastAt: formatUtc(lastAt),
  };
}
