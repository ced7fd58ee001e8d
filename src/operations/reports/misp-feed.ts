import { Problem } from '../../domain/problem.ts';
import { mispEventId } from '../../domain/reports/misp-event-id.ts';
import type { DayPosition, MispDay, MispStore } from '../../ports/misp-store.ts';
import type { PublishedVersion } from '../../ports/published-versions.ts';
import type { Dependencies } from '../dependencies.ts';

/** The changes of a slice. Takes some milliseconds on SQLite. */
const SLICE = 500;
/**
 * A request catches up with this many changes. If there are more, the feed is behind until
 * housekeeping or the next request continues; a reader then gets them with later stamps.
 */
const MAX_SLICES = 200;
/** Reports of one read. */
const PAGE = 50;

type MispDependencies = Pick<Dependencies, 'store' | 'now'>;

export interface MispFeed {
  readonly namespace: string;
  readonly days: readonly MispDay[];
}

/** The days of a feed, with all changes up to now in their stamps. */
export async function mispFeed(
  { store, now }: MispDependencies,
  service: string,
): Promise<MispFeed> {
  for (let slice = 0; slice < MAX_SLICES; slice += 1)
    if ((await store.misp.stampDays(service, now(), SLICE)) === 0) break;
  return {
    namespace: await store.feeds.objectNamespace(),
    days: await store.misp.days(service),
  };
}

export interface MispEvent {
  readonly namespace: string;
  readonly day: MispDay;
}

/** The day with that event. */
export async function findMispEvent(
  deps: MispDependencies,
  service: string,
  eventId: string,
): Promise<MispEvent> {
  const { namespace, days } = await mispFeed(deps, service);
  // Readers mostly fetch new days. An id costs a microsecond.
  const day = days.findLast((one) => mispEventId(namespace, service, one.day) === eventId);
  if (day === undefined) throw new Problem('unknown_event');
  return { namespace, day };
}

/** The reports of a day with the deleted ones, in parts. */
export async function* readMispDay(
  { store }: Pick<Dependencies, 'store'>,
  service: string,
  day: string,
): AsyncGenerator<readonly PublishedVersion[], void> {
  let after: DayPosition | undefined;
  do {
    const { versions, next } = await store.misp.pageOfDay(service, day, after, PAGE);
    if (versions.length > 0) yield versions;
    after = next;
  } while (after !== undefined);
}

/** Housekeeping: one slice of every feed with changes. Returns the number of changes. */
export async function stampChangedFeeds(misp: MispStore, now: Date): Promise<number> {
  let changes = 0;
  for (const service of await misp.changedFeeds())
    changes += await misp.stampDays(service, now, SLICE);
  return changes;
}
