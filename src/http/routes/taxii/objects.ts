import type { FastifyReply } from 'fastify';
import { Problem } from '../../../domain/problem.ts';
import {
  type AddedAfter,
  formatBefore,
  formatDateAdded,
} from '../../../domain/taxii/timestamps.ts';
import { reportOf } from '../../../exports/stix/ids.ts';
import type { StixObject } from '../../../exports/stix/stix-object.ts';
import { type CollectionIds, findCollection } from '../../../operations/taxii/find-collection.ts';
import { findObjects } from '../../../operations/taxii/find-objects.ts';
import { objectNamespace } from '../../../operations/taxii/object-namespace.ts';
import { type CollectionPage, readCollection } from '../../../operations/taxii/read-collection.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import type { ResponseHeader } from '../../openapi/headers.ts';
import { STIX_TYPE, TAXII_TYPE } from '../../taxii/media-type.ts';
import {
  type ObjectsRequest,
  objectQuery,
  objectsQuery,
  toObjectsRequest,
} from '../../taxii/query.ts';
import { negotiate, sendBytes } from '../../taxii/respond.ts';
import {
  collectionParams,
  envelope,
  manifest,
  objectParams,
  taxiiRefusals,
  versions,
} from '../../taxii/schemas.ts';
import { hasReportTypes, StixSource, versionOf } from '../../taxii/stix-source.ts';

const tags = ['TAXII'];
const produces = [TAXII_TYPE];
const HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  200: ['X-TAXII-Date-Added-First', 'X-TAXII-Date-Added-Last'],
};

const PAGING =
  'In the order in which they were added. A deleted report gets a last version of its indicators that is revoked. A page has `limit` objects if it is asked for with `next`. Otherwise it has all objects that were added together, unless they are more than `limit`, so that clients can continue with `added_after`.';

/** The objects of a collection, for TAXII clients. */
export function taxiiObjectRoutes(app: App, deps: HttpDependencies, ids: CollectionIds): void {
  const readPage = pageReader(deps, ids);

  app.route({
    method: 'GET',
    url: '/taxii2/feeds/collections/:collection/objects/',
    config: { access: 'token', endsWithPermission: 'response' },
    onRequest: negotiate,
    schema: {
      summary: 'Read the objects of a collection',
      description: PAGING,
      operationId: 'taxiiObjects',
      tags,
      produces,
      params: collectionParams,
      querystring: objectsQuery,
      response: { 200: envelope, ...taxiiRefusals(400, 404) },
      responseHeaders: HEADERS,
    },
    handler: async ({ params, query }, reply) =>
      sendObjects(reply, await readPage(params.collection, toObjectsRequest(query))),
  });

  app.route({
    method: 'GET',
    url: '/taxii2/feeds/collections/:collection/manifest/',
    config: { access: 'token', endsWithPermission: 'response' },
    onRequest: negotiate,
    schema: {
      summary: 'Read when the objects of a collection were added',
      description: PAGING,
      operationId: 'taxiiManifest',
      tags,
      produces,
      params: collectionParams,
      querystring: objectsQuery,
      response: { 200: manifest, ...taxiiRefusals(400, 404) },
      responseHeaders: HEADERS,
    },
    handler: async ({ params, query }, reply) => {
      const page = await readPage(params.collection, toObjectsRequest(query));
      const records = page.items.map(({ at, item }) =>
        JSON.stringify({
          id: item.id,
          date_added: formatDateAdded(at),
          version: versionOf(item, at),
          media_type: STIX_TYPE,
        }),
      );
      return sendPage(reply, page, 'objects', records.join(','));
    },
  });

  app.route({
    method: 'GET',
    url: '/taxii2/feeds/collections/:collection/objects/:object/',
    config: { access: 'token', endsWithPermission: 'response' },
    onRequest: negotiate,
    schema: {
      summary: 'Read an object',
      description:
        'Objects that several reports share (observables, infrastructure, malware) are not found by their ids: they are read with the reports.',
      operationId: 'taxiiObject',
      tags,
      produces,
      params: objectParams,
      querystring: objectQuery,
      response: { 200: envelope, ...taxiiRefusals(400, 404) },
      responseHeaders: HEADERS,
    },
    handler: async ({ params, query }, reply) =>
      sendObjects(
        reply,
        await readPage(params.collection, ofObject(query, params.object), params.object),
      ),
  });

  app.route({
    method: 'GET',
    url: '/taxii2/feeds/collections/:collection/objects/:object/versions/',
    config: { access: 'token', endsWithPermission: 'response' },
    onRequest: negotiate,
    schema: {
      summary: 'List the versions of an object',
      operationId: 'taxiiVersions',
      tags,
      produces,
      params: objectParams,
      querystring: objectQuery,
      response: { 200: versions, ...taxiiRefusals(400, 404) },
      responseHeaders: HEADERS,
    },
    handler: async ({ params, query }, reply) => {
      const request = ofObject(query, params.object);
      const page = await readPage(params.collection, request, params.object);
      const found = page.items.map(({ at, item }) => JSON.stringify(versionOf(item, at)));
      return sendPage(reply, page, 'versions', found.join(','));
    },
  });
}

/** A page, and what a header says if it is empty. */
interface ReadPage extends CollectionPage<StixObject> {
  readonly emptyUntil: string;
}

function ofObject(query: Parameters<typeof toObjectsRequest>[0], object: string): ObjectsRequest {
  // Relationships are objects of the rich profile.
  const profile = query.profile ?? (object.startsWith('relationship--') ? 'rich' : 'indicators');
  return { ...toObjectsRequest({ ...query, profile }), ids: [object] };
}

function pageReader(deps: HttpDependencies, collectionIds: CollectionIds) {
  return async (
    idOrAlias: string,
    request: ObjectsRequest,
    required?: string,
  ): Promise<ReadPage> => {
    const collection = await findCollection(deps, collectionIds, idOrAlias);
    const namespace = await objectNamespace(deps);
    const { profile, tlp, ids, types, addedAfter, cursor, limit } = request;
    const source = new StixSource({
      namespace,
      baseUrl: deps.baseUrl(),
      hosts: deps.indicatorHosts(),
      profile,
      tlp,
      // An object is found by its id before its time has come.
      changedUntil: ids && deps.now().toISOString(),
    });
    const references = ids?.map((id) => ({ id, reportId: reportOf(id, namespace)?.reportId }));
    const objects = references && (await findObjects(deps, collection, references, source));
    if (required !== undefined && objects?.length === 0) throw new Problem('unknown_object');
    const page = await readCollection(
      deps,
      {
        collection,
        addedAfter: addedAfter?.ms,
        cursor,
        limit,
        accepts: acceptor(request),
        objects,
        isWithoutReports: !request.isOfOurVersion || !hasReportTypes(profile, types),
      },
      source,
    );
    return { ...page, emptyUntil: emptyUntil(page.readUntil, addedAfter) };
  };
}

/** One client continues with this time whatever the page holds, so it must not be earlier. */
function emptyUntil(readUntil: number | undefined, addedAfter: AddedAfter | undefined): string {
  if (addedAfter === undefined) return formatDateAdded(readUntil ?? 0);
  return readUntil !== undefined && readUntil > addedAfter.ms
    ? formatDateAdded(readUntil)
    : addedAfter.text;
}

function acceptor({ types, versions: times, isOfOurVersion }: ObjectsRequest) {
  return (object: StixObject, at: number): boolean =>
    isOfOurVersion &&
    (types?.has(object.type) ?? true) &&
    (times?.has(Date.parse(versionOf(object, at))) ?? true);
}

/** Objects are JSON already. */
function sendObjects(reply: FastifyReply, page: ReadPage): FastifyReply {
  return sendPage(reply, page, 'objects', page.items.map(({ item }) => item.text).join(','));
}

/**
 * Without `next` on the last page, because some clients continue as long as it is there; without an
 * empty list, which STIX does not permit. `elements` of the list are JSON.
 */
function sendPage(
  reply: FastifyReply,
  { items, next, emptyUntil, isSplit }: ReadPage,
  list: 'objects' | 'versions',
  elements: string,
): FastifyReply {
  const [first, last] = [items[0], items.at(-1)];
  reply.header('x-taxii-date-added-first', first ? formatDateAdded(first.at) : emptyUntil);
  // A client that continues after this time must get the others that were added with the last one.
  const formatLast = isSplit ? formatBefore : formatDateAdded;
  reply.header('x-taxii-date-added-last', last ? formatLast(last.at) : emptyUntil);
  const cursor = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  const rest = items.length === 0 ? '' : `,"${list}":[${elements}]`;
  return sendBytes(reply, `{"more":${next !== undefined}${cursor}${rest}}`);
}
