import { HOUR_MS } from '../duration.ts';
import { formatC2Address } from './c2-address.ts';
import { expiryAfter } from './desk.ts';
import type { Report } from './report.ts';

/** A report expires a period after the last sighting of its C2, whichever report that was. */

/** A smaller extension of the expiry is not written, so a burst of sightings updates a row once. */
const MIN_EXTENSION_MS = HOUR_MS;

/** Reports that expire by then are renewed to this expiry. */
export function renewedIfBy(expiresAt: Date): Date {
  return new Date(expiresAt.getTime() - MIN_EXTENSION_MS);
}

/**
 * The new expiry of a report that is due: its C2 may have been reported again since, or the period
 * of the feed may have grown. `undefined`: it expires.
 */
export function renewedExpiry(
  lastSeen: Date,
  now: Date,
  expireAfterDays: number,
): Date | undefined {
  const expiresAt = expiryAfter(lastSeen, expireAfterDays);
  return expiresAt > now ? expiresAt : undefined;
}

/** A new report, and the reports of its C2. */
export interface SightedReport {
  readonly report: Pick<Report, 'service' | 'c2' | 'expiresAt' | 'sightings'>;
  readonly history: {
    /** The first expiry of the earlier reports that are unresolved. */
    readonly soonestExpiry: Date | undefined;
  };
}

/**
 * Those of a batch of new reports that renew the other reports of their C2: once for a batch,
 * unless a later report of the batch extends the expiry enough to be written. Most repeated C2s
 * have been renewed recently, and cost no further step.
 */
export function renewing<Sighted extends SightedReport>(
  added: readonly Sighted[],
): readonly Sighted[] {
  const soonest = new Map<string, number>();
  const renewed = new Map<string, number>();
  return added.filter(({ report: { service, c2, expiresAt, sightings }, history }) => {
    const text = `${service} ${formatC2Address(c2)}`;
    const expiresMs = expiresAt.getTime();
    const firstMs =
      soonest.get(text) ?? history.soonestExpiry?.getTime() ?? Number.POSITIVE_INFINITY;
    soonest.set(text, Math.min(firstMs, expiresMs));
    if (sightings === 1 || expiresMs - firstMs < MIN_EXTENSION_MS) return false;
    const renewedUntil = renewed.get(text) ?? Number.NEGATIVE_INFINITY;
    if (expiresMs - renewedUntil < MIN_EXTENSION_MS) return false;
    renewed.set(text, expiresMs);
    return true;
  });
}
