import { publishedUntil } from '../../domain/reports/publication.ts';
import type { Service } from '../../domain/services/service.ts';
import type { PublishedVersion } from '../../ports/published-versions.ts';
import type { Dependencies } from '../dependencies.ts';
import { feedAddedAt, inOrder, type ObjectGroup, type ObjectSource } from './collection-groups.ts';
import { type Collection, scopeOf } from './find-collection.ts';

/** An object of a collection that was read by its id. */
export interface FoundObject<Item> {
  readonly at: number;
  readonly feed: string;
  /** Among all objects of its version. */
  readonly index: number;
  readonly item: Item;
}

/** An id as the layer above reads it. */
export interface ObjectReference {
  readonly id: string;
  /** The report whose object has this id; `undefined` if it is none of a report. */
  readonly reportId: string | undefined;
}

type ObjectDependencies = Pick<Dependencies, 'store' | 'now'>;

/**
 * Finds objects by their ids without reading the collection, also those of a version whose time has
 * not come: whoever has submitted one reads it at once. Objects that several reports share are not
 * found: no index leads from their ids to the reports.
 */
export async function findObjects<Item extends { readonly id: string }>(
  deps: ObjectDependencies,
  collection: Collection,
  references: readonly ObjectReference[],
  source: ObjectSource<Item>,
): Promise<readonly FoundObject<Item>[]> {
  const found: FoundObject<Item>[] = [];
  if (references.some(({ reportId }) => reportId === undefined))
    found.push(...(await objectsOfFeeds(deps, collection, references, source)));
  const seen = new Set<string>();
  for (const { id, reportId } of references) {
    if (reportId === undefined || seen.has(id)) continue;
    seen.add(id);
    const object = await objectOfReport(deps, collection, { id, reportId }, source);
    if (object !== undefined) found.push(object);
  }
  return found;
}

async function objectOfReport<Item extends { readonly id: string }>(
  deps: ObjectDependencies,
  collection: Collection,
  { id, reportId }: { readonly id: string; readonly reportId: string },
  source: ObjectSource<Item>,
): Promise<FoundObject<Item> | undefined> {
  const version = await deps.store.published.find(scopeOf(collection), reportId);
  const service = version && (await serviceOf(deps, collection, version));
  if (version === undefined || service === undefined) return undefined;
  const items = source.ofVersion(version, service);
  const index = items.findIndex((item) => item.id === id);
  const item = items[index];
  const at = publishedUntil(version.addedAt.getTime(), deps.now().getTime());
  return item && { at, feed: service.slug, index, item };
}

async function serviceOf(
  { store }: ObjectDependencies,
  { service }: Collection,
  version: PublishedVersion,
): Promise<Service | undefined> {
  if (service !== undefined) return service;
  const { service: slug } = 'report' in version ? version.report : version.withdrawn;
  return await store.access.findService(slug);
}

async function objectsOfFeeds<Item extends { readonly id: string }>(
  { store }: ObjectDependencies,
  { service }: Collection,
  references: readonly ObjectReference[],
  source: ObjectSource<Item>,
): Promise<readonly FoundObject<Item>[]> {
  const ids = new Set(references.map(({ id }) => id));
  const services = service === undefined ? await store.services.list() : [service];
  return inOrder(services).flatMap((one, position) =>
    source
      .ofFeed(one, position === 0)
      .map((item, index) => ({ at: feedAddedAt(one), feed: one.slug, index, item }))
      .filter(({ item }) => ids.has(item.id)),
  );
}

/** In the order in which they were added, like those of a whole collection. */
export async function* groupsOfObjects<Item>(
  objects: readonly FoundObject<Item>[],
  after: number | undefined,
): AsyncGenerator<ObjectGroup<Item>, void> {
  const sorted = objects
    .filter(({ at }) => after === undefined || at > after)
    .sort((one, other) => one.at - other.at || compareUnits(one, other));
  for (const [at, group] of Map.groupBy(sorted, (object) => object.at))
    yield {
      at,
      units: group.map(({ feed, index, item }) => ({ feed, items: [item], firstIndex: index })),
    };
}

function compareUnits(one: FoundObject<unknown>, other: FoundObject<unknown>): number {
  return one.feed === other.feed ? one.index - other.index : one.feed < other.feed ? -1 : 1;
}
