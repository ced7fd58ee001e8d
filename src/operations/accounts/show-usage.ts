import { USAGE_DAYS } from '../../domain/accounts/usage.ts';
import { daysUpTo, firstDay } from '../../domain/utc-days.ts';
import type { ChargePosition, DayCharge } from '../../ports/account-usage.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf, readPageCursor } from '../page-cursor.ts';

/** Days as `2026-01-31`. Those older than are kept are left out. */
export interface UsageQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cursor?: string | undefined;
  /** The number of entries of all days together. */
  readonly limit: number;
}

export interface UsedDay {
  readonly day: string;
  readonly units: number;
  /** Whether the entries add up to the units: not before the store had entries. */
  readonly itemised: boolean;
  /** Those of the page. */
  readonly entries: readonly DayCharge[];
}

export interface ShownUsage {
  /** All days of the request, oldest first. */
  readonly days: readonly UsedDay[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

/**
 * Returns the units that an account was charged on each of the last days, and a page of what they
 * were charged for, the newest day first. A cursor is valid for its account and days only.
 */
export async function showUsage(
  { store, now }: Pick<Dependencies, 'store' | 'now'>,
  accountId: string,
  { from = '', to = '9', cursor, limit }: UsageQuery,
): Promise<ShownUsage> {
  const at = now();
  const secret = await store.feeds.secret();
  const purpose = ['usage', accountId, from, to];
  const position = readPageCursor(secret, purpose, cursor);
  const usage = await store.accounts.usage(accountId, {
    from: [from, firstDay(at, USAGE_DAYS)].toSorted()[1] ?? from,
    to,
    after: position === undefined ? undefined : toPosition(position),
    limit: limit + 1,
  });
  const page = pageOf(usage.charges, limit, { secret, purpose, positionOf: formatPosition });
  const units = new Map(usage.days.map((one) => [one.day, one.units]));
  const entries = Map.groupBy(
    page.items.filter((charge) => charge.units > 0),
    ({ day }) => day,
  );
  return {
    days: daysUpTo(at, USAGE_DAYS)
      .filter((day) => day >= from && day <= to)
      .map((day) => ({
        day,
        units: units.get(day) ?? 0,
        itemised: day > usage.itemisedAfter,
        entries: entries.get(day) ?? [],
      })),
    nextCursor: page.nextCursor,
  };
}

function formatPosition({ day, operation, tokenId = '' }: DayCharge): string {
  return `${day} ${operation} ${tokenId}`;
}

function toPosition(text: string): ChargePosition {
  const [day = '', operation = '', tokenId = ''] = text.split(' ');
  return { day, operation, tokenId };
}
