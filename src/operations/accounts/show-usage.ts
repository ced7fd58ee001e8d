import { USAGE_DAYS } from '../../domain/accounts/usage.ts';
import { daysUpTo, firstDay } from '../../domain/utc-days.ts';
import type { DayUnits } from '../../ports/store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns the units that an account was charged on each of the last days, oldest first. */
export async function showUsage(
  { store, now }: Pick<Dependencies, 'store' | 'now'>,
  accountId: string,
): Promise<readonly DayUnits[]> {
  const at = now();
  const charged = await store.accounts.unitsPerDay(accountId, firstDay(at, USAGE_DAYS));
  const units = new Map(charged.map((one) => [one.day, one.units]));
  return daysUpTo(at, USAGE_DAYS).map((day) => ({ day, units: units.get(day) ?? 0 }));
}
