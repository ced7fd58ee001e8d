import { type Caller, hasRole } from '../../../domain/accounts/caller.ts';
import {
  type Collection,
  type CollectionIds,
  findCollection,
  listCollections,
} from '../../../operations/taxii/find-collection.ts';
import { findSubmission } from '../../../operations/taxii/submissions.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { MAX_CONTENT_LENGTH, STIX_TYPE, TAXII_TYPE } from '../../taxii/media-type.ts';
import { negotiate, sendBytes, sendTaxii } from '../../taxii/respond.ts';
import {
  apiRoot,
  collection,
  collectionParams,
  collections,
  discovery,
  status,
  statusParams,
  taxiiRefusals,
} from '../../taxii/schemas.ts';

const tags = ['TAXII'];
/** Relative, so that it is right behind any proxy. */
const API_ROOT = '/taxii2/feeds/';
const produces = [TAXII_TYPE];

/** What a TAXII client reads before the objects. */
export function taxiiDiscoveryRoutes(app: App, deps: HttpDependencies, ids: CollectionIds): void {
  app.route({
    method: 'GET',
    url: '/taxii2/',
    config: { access: 'token' },
    onRequest: negotiate,
    schema: {
      summary: 'Discover the API root',
      description:
        'TAXII 2.1. All paths under `/taxii2` also work without the slash at the end, and with repeated slashes.',
      operationId: 'taxiiDiscovery',
      tags,
      produces,
      response: { 200: discovery, ...taxiiRefusals() },
    },
    handler: async (_, reply) =>
      sendTaxii(reply, {
        title: 'Rapsheet',
        description: 'Abuse reports as STIX indicators',
        default: API_ROOT,
        api_roots: [API_ROOT],
      }),
  });

  app.route({
    method: 'GET',
    url: '/taxii2/feeds/',
    config: { access: 'token' },
    onRequest: negotiate,
    schema: {
      summary: 'Describe the API root',
      operationId: 'taxiiApiRoot',
      tags,
      produces,
      response: { 200: apiRoot, ...taxiiRefusals() },
    },
    handler: async (_, reply) =>
      sendTaxii(reply, {
        title: 'feeds',
        description: 'A collection for each service, and one over all of them',
        versions: [TAXII_TYPE],
        max_content_length: MAX_CONTENT_LENGTH,
      }),
  });

  app.route({
    method: 'GET',
    url: '/taxii2/feeds/collections/',
    config: { access: 'token' },
    onRequest: negotiate,
    schema: {
      summary: 'List the collections',
      operationId: 'taxiiCollections',
      tags,
      produces,
      response: { 200: collections, ...taxiiRefusals() },
    },
    handler: async ({ caller }, reply) => {
      const found = await listCollections(deps);
      return sendTaxii(reply, { collections: found.map((one) => present(one, caller)) });
    },
  });

  app.route({
    method: 'GET',
    url: '/taxii2/feeds/collections/:collection/',
    config: { access: 'token' },
    onRequest: negotiate,
    schema: {
      summary: 'Describe a collection',
      operationId: 'taxiiCollection',
      tags,
      produces,
      params: collectionParams,
      response: { 200: collection, ...taxiiRefusals(400, 404) },
    },
    handler: async ({ caller, params }, reply) =>
      sendTaxii(reply, present(await findCollection(deps, ids, params.collection), caller)),
  });

  app.route({
    method: 'GET',
    url: '/taxii2/feeds/status/:status/',
    config: { access: 'token' },
    onRequest: negotiate,
    schema: {
      summary: 'Show the status of a submission',
      description: 'Of the same account, for two days.',
      operationId: 'taxiiStatus',
      tags,
      produces,
      params: statusParams,
      response: { 200: status, ...taxiiRefusals(400, 404) },
    },
    handler: async ({ caller, params }, reply) =>
      sendBytes(reply, await findSubmission(deps, caller, params.status)),
  });
}

/**
 * The title is the slug: one client configures collections by their titles, and separates them with
 * dots and commas.
 */
function present({ id, alias, service }: Collection, caller: Caller) {
  return {
    id,
    title: alias,
    description:
      service === undefined ? 'The reports of all services' : `Reports to ${service.name}`,
    alias,
    can_read: true,
    can_write: service !== undefined && hasRole(caller, 'researcher'),
    media_types: [STIX_TYPE],
  };
}
