import { MINUTE_MS } from '../../domain/duration.ts';
import type { Service } from '../../domain/services/service.ts';
import type { PublishedVersion } from '../../ports/published-versions.ts';
import type { Dependencies } from '../dependencies.ts';
import { type Collection, scopeOf } from './find-collection.ts';

/** How the layer above makes objects of what the store has. */
export interface ObjectSource<Item> {
  /** The objects of most versions: as many versions are read as a page may need. */
  readonly usualPerVersion: number;
  /** What the objects of a feed refer to. `isFirst`: of the first feed of the collection. */
  ofFeed(service: Service, isFirst: boolean): readonly Item[];
  ofVersion(version: PublishedVersion, service: Service): readonly Item[];
  /** Called between two reads. Resolves when further objects may be made. */
  nextSlice(): Promise<void>;
}

/** The objects of one version of a report, or of a feed. */
export interface ObjectUnit<Item> {
  readonly feed: string;
  readonly items: readonly Item[];
  /** The index of the first item among all objects of the version; 0 if absent. */
  readonly firstIndex?: number;
}

/** All objects that were added in one millisecond. */
export interface ObjectGroup<Item> {
  readonly at: number;
  readonly units: readonly ObjectUnit<Item>[];
}

/** A read of that many versions and making their objects takes a few milliseconds. */
const MAX_SLICE = 100;
/** The same, if a version has many objects. */
const MAX_SLICE_OBJECTS = 200;

/**
 * An identity over all feeds is published when a later version is, or after this time: before,
 * transactions with an earlier time may still be open, and readers would continue after them.
 */
const SETTLED_MS = 5 * MINUTE_MS;

export interface GroupsRequest {
  readonly collection: Collection;
  /** Only groups that were added later; `undefined`: all. */
  readonly after: number | undefined;
  /** The number of objects that a page may need. */
  readonly limit: number;
  /** Whether only the objects of feeds are needed. */
  readonly isWithoutReports: boolean;
}

type GroupDependencies = Pick<Dependencies, 'store' | 'now'>;

/** The groups of a collection in the order in which they were added. */
export async function* readGroups<Item>(
  deps: GroupDependencies,
  request: GroupsRequest,
  source: ObjectSource<Item>,
): AsyncGenerator<ObjectGroup<Item>, void> {
  const { collection, isWithoutReports } = request;
  const services =
    collection.service === undefined ? await deps.store.services.list() : [collection.service];
  const headers = headersOf(services, request.after);
  const settled = collection.service === undefined ? deps.now().getTime() - SETTLED_MS : Infinity;
  if (!isWithoutReports) {
    const bySlug = new Map(services.map((service) => [service.slug, service]));
    for await (const versions of slicesOf(deps, request, source.usualPerVersion)) {
      const end = versions.at(-1)?.addedAt.getTime() ?? 0;
      await addMissing(deps, bySlug, versions);
      yield* merged(takeUntil(headers, end), versions, bySlug, source);
      await source.nextSlice();
    }
  }
  yield* merged(takeUntil(headers, settled), [], new Map(), source);
}

/** Services that were added after the list was read. */
async function addMissing(
  { store }: GroupDependencies,
  services: Map<string, Service>,
  versions: readonly PublishedVersion[],
): Promise<void> {
  for (const version of versions) {
    const slug = feedOf(version);
    const service = services.has(slug) ? undefined : await store.access.findService(slug);
    if (service !== undefined) services.set(slug, service);
  }
}

function feedOf(version: PublishedVersion): string {
  return 'report' in version ? version.report.service : version.withdrawn.service;
}

/** When the objects of a feed were added: before its first report. */
export function feedAddedAt({ createdAt }: Service): number {
  return createdAt.getTime() - 1;
}

interface Header {
  readonly at: number;
  readonly service: Service;
  readonly isFirst: boolean;
}

/** In the order of their times. */
function headersOf(services: readonly Service[], after: number | undefined): Header[] {
  return inOrder(services)
    .map((service, index) => ({ at: feedAddedAt(service), service, isFirst: index === 0 }))
    .filter(({ at }) => after === undefined || at > after);
}

/** In the order in which their objects were added. */
export function inOrder(services: readonly Service[]): readonly Service[] {
  return [...services].sort(
    (one, other) => feedAddedAt(one) - feedAddedAt(other) || (one.slug < other.slug ? -1 : 1),
  );
}

function takeUntil(headers: Header[], end: number): readonly Header[] {
  const later = headers.findIndex(({ at }) => at > end);
  return headers.splice(0, later === -1 ? headers.length : later);
}

async function* slicesOf(
  { store, now }: GroupDependencies,
  { collection, after, limit }: GroupsRequest,
  usualPerVersion: number,
): AsyncGenerator<readonly PublishedVersion[], void> {
  let last = after === undefined ? undefined : new Date(after);
  // One more, which shows whether the page is the last one.
  let missing = Math.ceil(limit / usualPerVersion) + 1;
  const most = Math.min(MAX_SLICE, Math.ceil(MAX_SLICE_OBJECTS / usualPerVersion));
  for (;;) {
    // Versions with fewer objects do not fill the page: it goes on in whole slices.
    const slice = missing > 0 ? Math.min(most, missing) : most;
    const page = await store.published.page({
      scope: scopeOf(collection),
      after: last,
      limit: slice,
      now: now(),
    });
    if (page.versions.length > 0) yield page.versions;
    last = page.versions.at(-1)?.addedAt ?? last;
    missing -= page.versions.length;
    if (!page.hasMore) return;
  }
}

/** The units of a group are in the order of their feeds. */
function* merged<Item>(
  headers: readonly Header[],
  versions: readonly PublishedVersion[],
  services: ReadonlyMap<string, Service>,
  source: ObjectSource<Item>,
): Generator<ObjectGroup<Item>, void> {
  const groups = new Map<number, Map<string, readonly Item[]>>();
  const add = (at: number, feed: string, items: readonly Item[]) => {
    const units = groups.get(at) ?? new Map<string, readonly Item[]>();
    groups.set(at, units.set(feed, [...(units.get(feed) ?? []), ...items]));
  };
  for (const { at, service, isFirst } of headers)
    add(at, service.slug, source.ofFeed(service, isFirst));
  for (const version of versions) {
    const feed = feedOf(version);
    const service = services.get(feed);
    if (service === undefined) throw new Error('a report has no service');
    add(version.addedAt.getTime(), feed, source.ofVersion(version, service));
  }
  for (const [at, units] of [...groups].sort(([one], [other]) => one - other))
    yield { at, units: [...units].map(toUnit).sort(byFeed) };
}

function toUnit<Item>([feed, items]: readonly [string, readonly Item[]]): ObjectUnit<Item> {
  return { feed, items };
}

function byFeed(one: { readonly feed: string }, other: { readonly feed: string }): number {
  return one.feed < other.feed ? -1 : 1;
}
