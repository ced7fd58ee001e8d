import { Problem } from '../../domain/problem.ts';
import { parseServiceSlug, type Service } from '../../domain/services/service.ts';
import { ALL, collectionId } from '../../domain/taxii/collection.ts';
import type { FeedScope } from '../../ports/feed-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The objects of one feed, or of all. */
export interface Collection {
  readonly id: string;
  /** The slug of the service, or `all`. */
  readonly alias: string;
  /** Absent for the collection over all feeds. */
  readonly service: Service | undefined;
}

type StoreDependencies = Pick<Dependencies, 'store'>;

/** The one over all feeds first, then by slug. */
export async function listCollections({
  store,
}: StoreDependencies): Promise<readonly Collection[]> {
  const namespace = await store.feeds.objectNamespace();
  const services = await store.services.list();
  return [
    toCollection(ALL, undefined, namespace),
    ...services.map((service) => toCollection(service.slug, service, namespace)),
  ];
}

/** Ids by alias. Services are never deleted and keep their slugs, so no entry becomes invalid. */
export class CollectionIds {
  readonly #aliases = new Map<string, string>();

  async aliasOf(deps: StoreDependencies, id: string): Promise<string | undefined> {
    const known = this.#aliases.get(id);
    if (known !== undefined) return known;
    for (const collection of await listCollections(deps))
      this.#aliases.set(collection.id, collection.alias);
    return this.#aliases.get(id);
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** By its id or its alias. A slug may have the form of a UUID; the id has precedence. */
export async function findCollection(
  deps: StoreDependencies,
  ids: CollectionIds,
  idOrAlias: string,
): Promise<Collection> {
  const { store } = deps;
  const named = UUID.test(idOrAlias) ? await ids.aliasOf(deps, idOrAlias.toLowerCase()) : undefined;
  const alias = named ?? idOrAlias;
  const namespace = await store.feeds.objectNamespace();
  if (alias === ALL) return toCollection(ALL, undefined, namespace);
  const slug = parseServiceSlug(alias);
  const service = slug === undefined ? undefined : await store.access.findService(slug);
  if (service === undefined) throw new Problem('unknown_collection');
  return toCollection(service.slug, service, namespace);
}

export function scopeOf({ service }: Collection): FeedScope {
  return service?.slug;
}

function toCollection(alias: string, service: Service | undefined, namespace: string): Collection {
  return { id: collectionId(alias, namespace), alias, service };
}
