import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import type { FeedScope } from '../../ports/feed-store.ts';
import type { MispEvent, ReportPosition } from '../../ports/misp-store.ts';
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
/** Events of one read. */
const EVENTS_PAGE = 200;

type MispDependencies = Pick<Dependencies, 'store' | 'now'>;

export interface MispFeed {
  readonly namespace: string;
  /** Grows with every change of the feed. */
  readonly version: number;
}

/** A feed, or all of them, with all changes up to now in the stamps of the events. */
export async function mispFeed(
  { store, now }: MispDependencies,
  scope: FeedScope,
): Promise<MispFeed> {
  const namespace = await store.feeds.objectNamespace();
  const services = scope === undefined ? await store.misp.changedFeeds() : [scope];
  let slices = 0;
  for (const service of services)
    while (slices < MAX_SLICES) {
      slices += 1;
      const request = { namespace, now: now(), limit: SLICE };
      if ((await store.misp.stampEvents(service, request)) === 0) break;
    }
  return { namespace, version: await store.misp.version(scope) };
}

/** The events of a feed, or of all of them, in pages. */
export async function* listMispEvents(
  { store }: Pick<Dependencies, 'store'>,
  scope: FeedScope,
): AsyncGenerator<readonly MispEvent[], void> {
  let events: readonly MispEvent[] = [];
  do {
    events = await store.misp.events(scope, events.at(-1), EVENTS_PAGE);
    yield events;
  } while (events.length === EVENTS_PAGE);
}

export interface FoundEvent {
  readonly event: MispEvent;
  readonly service: Service;
  readonly namespace: string;
}

export async function findMispEvent(
  deps: MispDependencies,
  scope: FeedScope,
  id: string,
): Promise<FoundEvent> {
  const { store } = deps;
  const known = await store.misp.find(scope, id);
  const { namespace } = await mispFeed(deps, scope ?? known?.service);
  const event = await store.misp.find(scope, id);
  const service = event && (await store.access.findService(event.service));
  if (event === undefined || service === undefined) throw new Problem('unknown_event');
  return { event, service, namespace };
}

/** The reports of an event with the deleted ones, in parts. */
export async function* readMispEvent(
  { store }: Pick<Dependencies, 'store'>,
  event: MispEvent,
): AsyncGenerator<readonly PublishedVersion[], void> {
  let after: ReportPosition | undefined;
  do {
    const { versions, next } = await store.misp.reports(event, after, PAGE);
    if (versions.length > 0) yield versions;
    after = next;
  } while (after !== undefined);
}

/** Housekeeping: one slice of every feed with changes. Returns the number of changes. */
export async function stampChangedFeeds({ store, now }: MispDependencies): Promise<number> {
  // Stamps of many feeds would run ahead of the clock; those that are read are stamped anyway.
  if ((await store.misp.lastStamp()) * 1000 > now().getTime()) return 0;
  const namespace = await store.feeds.objectNamespace();
  let changes = 0;
  for (const service of await store.misp.changedFeeds())
    changes += await store.misp.stampEvents(service, { namespace, now: now(), limit: SLICE });
  return changes;
}
