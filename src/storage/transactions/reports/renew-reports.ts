import { renewedIfBy } from '../../../domain/reports/renewal.ts';
import type { FeedPosition, SequenceAllocator } from '../../tables/feeds/sequences.ts';
import type { C2Key } from '../../tables/reports/c2-key.ts';
import { selectLastOfC2, selectToRenew } from '../../tables/reports/renewals.ts';
import { renewReport } from '../../tables/reports/report-changes.ts';
import { each, eachDeferred, type UnitOfWork } from '../../units/unit-of-work.ts';
import { appendEvents } from './append-events.ts';

/** When each C2 was last reported. */
export function* lastSightings(keys: readonly C2Key[]): UnitOfWork<readonly (Date | undefined)[]> {
  const found = yield* each(
    selectLastOfC2,
    keys.map(({ service_id, host, port }) => ({ service_id, host, port })),
  );
  return found.map(([last]) => last && new Date(last.reported_at));
}

/** A C2 that was reported again, and the expiry that its other reports get. */
export interface RepeatedSighting {
  readonly key: C2Key;
  readonly service: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Renews the newest reports of each C2 that would expire earlier, oldest first. */
export function* renewSiblings(
  repeated: readonly RepeatedSighting[],
  sequences: SequenceAllocator,
): UnitOfWork<void> {
  const found = yield* each(
    selectToRenew,
    repeated.map(({ key, expiresAt }) => ({
      ...key,
      before: renewedIfBy(expiresAt).toISOString(),
    })),
  );
  const renewals = repeated.flatMap(({ service, at, expiresAt }, index) =>
    (found[index] ?? []).map(({ id, number }) => ({ id, number, service, at, expiresAt })),
  );
  // If two sightings renew the same report, the later expiry is used.
  yield* renewReports([...new Map(renewals.map((one) => [one.id, one])).values()], sequences);
}

export interface Renewal {
  readonly id: string;
  readonly number: number;
  readonly service: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Each renewal is a change of the feed, with its own sequence. */
export function* renewReports(
  renewals: readonly Renewal[],
  sequences: SequenceAllocator,
): UnitOfWork<void> {
  for (const { service } of renewals) sequences.expect(service, 1);
  const changes: { readonly position: FeedPosition; readonly renewal: Renewal }[] = [];
  for (const renewal of renewals) {
    // The feed exists: the report refers to it.
    const position = (yield* sequences.take(renewal.service)) as FeedPosition;
    changes.push({ position, renewal });
  }
  yield* eachDeferred(
    renewReport,
    changes.map(({ position, renewal: { id, at, expiresAt } }) => ({
      id,
      sequence: position.sequence,
      added_at: position.addedAt,
      updated_at: at.toISOString(),
      expires_at: expiresAt.toISOString(),
    })),
  );
  yield* appendEvents(
    changes.map(({ position, renewal: { id, number, at } }) => ({
      position,
      event: { type: 'updated', reportId: id, at: at.toISOString(), number },
    })),
  );
}
