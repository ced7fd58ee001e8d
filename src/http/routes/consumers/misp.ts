import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../domain/problem.ts';
import { REPORTS_OF_PART } from '../../../domain/reports/day-part.ts';
import { parseUuid } from '../../../domain/uuid.ts';
import { mispHashes } from '../../../exports/misp/hashes.ts';
import {
  findMispEvent,
  listMispEvents,
  mispFeed,
  readMispEvent,
} from '../../../operations/reports/misp-feed.ts';
import type { FeedScope } from '../../../ports/feed-store.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { AccountSlots, releaseWith } from '../../gate/account-slots.ts';
import { takeForParts } from '../../gate/request-memory.ts';
import { isUnchanged } from '../../requests/conditional.ts';
import { mispFileOfAllParams, mispFileParams, serviceParams } from '../../requests/parameters.ts';
import {
  mispEventText,
  mispManifestText,
  weakTag,
} from '../../responses/consumers/misp-documents.ts';
import {
  eventSchema,
  hashesSchema,
  manifestSchema,
} from '../../responses/consumers/misp-schemas.ts';
import { notModified, refusals } from '../../responses/schemas.ts';
import { sendStream } from '../../responses/send-response.ts';
import { exportSender } from '../exports/send-export.ts';

const tags = ['MISP'];
const config = { access: 'token', endsWithPermission: 'response' } as const;
const JSON_TYPE = 'application/json; charset=utf-8';
/** The rows of a part, its text and its bytes. */
const PART_BYTES = 512 * 1024;

/** Feeds as MISP fetches them: a manifest, events, and the hashes of all values. */
export function mispRoutes(app: App, deps: HttpDependencies): void {
  const send = new MispSender(deps);
  manifestRoutes(app, send);
  hashesRoutes(app, send);
  eventRoutes(app, send);
}

function manifestRoutes(app: App, send: MispSender): void {
  const response = { 200: manifestSchema, 304: notModified, ...refusals(400, 401, 404, 429) };

  app.route({
    method: 'GET',
    url: '/misp/:service/manifest.json',
    config,
    schema: {
      summary: 'List the events of a MISP feed',
      description: `The events by their UUIDs. A UTC day with reports has an event for each ${REPORTS_OF_PART} of them. Every change of a report raises the timestamp of its event, and no two events have the same timestamp. Spends no quota.`,
      operationId: 'mispManifest',
      tags,
      params: serviceParams,
      response,
    },
    async handler(request, reply) {
      return await send.manifest(request, reply, request.service.slug, request.service.name);
    },
  });

  app.route({
    method: 'GET',
    url: '/misp/all/manifest.json',
    config,
    schema: {
      summary: 'List the events of all MISP feeds',
      description:
        'The events of all services, which have the same UUIDs and timestamps as in the feeds of the services. Spends no quota.',
      operationId: 'mispManifestOfAll',
      tags,
      response,
    },
    async handler(request, reply) {
      return await send.manifest(request, reply, undefined);
    },
  });
}

function hashesRoutes(app: App, send: MispSender): void {
  const response = { 200: hashesSchema, 304: notModified, ...refusals(400, 401, 404, 429) };

  app.route({
    method: 'GET',
    url: '/misp/:service/hashes.csv',
    config,
    schema: {
      summary: 'List the hashes of a MISP feed',
      description:
        'The MD5 of every value and the UUID of its event, a line each, as the feed was at one moment. Built once for each state of the feed. 404 if the feed has no value. Spends no quota.',
      operationId: 'mispHashes',
      tags,
      params: serviceParams,
      response,
    },
    async handler(request, reply) {
      return await send.hashes(request, reply, request.service.slug);
    },
  });

  app.route({
    method: 'GET',
    url: '/misp/all/hashes.csv',
    config,
    schema: {
      summary: 'List the hashes of all MISP feeds',
      description: 'Like the hashes of one feed.',
      operationId: 'mispHashesOfAll',
      tags,
      response,
    },
    async handler(request, reply) {
      return await send.hashes(request, reply, undefined);
    },
  });
}

function eventRoutes(app: App, send: MispSender): void {
  const response = { 200: eventSchema, 304: notModified, ...refusals(400, 401, 404, 429) };

  app.route({
    method: 'GET',
    url: '/misp/:service/:file',
    config,
    schema: {
      summary: 'Fetch an event of a MISP feed',
      description: `At most ${REPORTS_OF_PART} reports of one day: an object for the address, one for the file, which refers to it, and one for the link. Deleted reports have \`deleted\` until their tombstones are removed. Spends no quota.`,
      operationId: 'mispEvent',
      tags,
      params: mispFileParams,
      response,
    },
    async handler(request, reply) {
      return await send.event(request, reply, request.service.slug, request.params.file);
    },
  });

  app.route({
    method: 'GET',
    url: '/misp/all/:file',
    config,
    schema: {
      summary: 'Fetch an event of any MISP feed',
      description: 'The same as in the feed of its service.',
      operationId: 'mispEventOfAll',
      tags,
      params: mispFileOfAllParams,
      response,
    },
    async handler(request, reply) {
      return await send.event(request, reply, undefined, request.params.file);
    },
  });
}

/** Sends the files of a feed, or of all of them, within the limits of each account. */
class MispSender {
  readonly #deps: HttpDependencies;
  readonly #slots: AccountSlots;
  readonly #sendExport: ReturnType<typeof exportSender>;

  constructor(deps: HttpDependencies) {
    this.#deps = deps;
    this.#slots = new AccountSlots(deps.accountLimits.exports, 'too_many_exports');
    this.#sendExport = exportSender(deps);
  }

  async manifest(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: FeedScope,
    name?: string,
  ): Promise<FastifyReply> {
    const { namespace, version } = await mispFeed(this.#deps, scope);
    const text = mispManifestText(listMispEvents(this.#deps, scope), namespace);
    const etag = weakTag(['manifest', namespace, scope, name, version]);
    return await this.#sendParts(request, reply, { etag, text });
  }

  hashes(request: FastifyRequest, reply: FastifyReply, scope: FeedScope): Promise<FastifyReply> {
    return this.#sendExport(request, reply, {
      export: { format: mispHashes.format, scope, filter: {}, options: {} },
      mediaType: mispHashes.mediaType,
      isCompressed: false,
      // MISP takes an empty file of hashes for an error, and shows the text of this one.
      emptyProblem: () => new Problem('empty_misp_feed'),
    });
  }

  async event(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: FeedScope,
    file: string,
  ): Promise<FastifyReply> {
    const found = await findMispEvent(this.#deps, scope, eventIdOf(file));
    const { namespace, service, event } = found;
    const etag = weakTag([namespace, service.name, service.confidenceScale, event.id, event.stamp]);
    const parts = readMispEvent(this.#deps, event);
    const text = mispEventText(found, { parts, hosts: this.#deps.indicatorHosts() });
    return await this.#sendParts(request, reply, { etag, text });
  }

  /** An error before the first part is sent without the headers. */
  async #sendParts(
    request: FastifyRequest,
    reply: FastifyReply,
    { etag, text }: Document,
  ): Promise<FastifyReply> {
    if (isUnchanged(request, etag)) {
      setHeaders(reply, etag);
      return reply.code(304).send();
    }
    releaseWith(reply.raw, this.#slots.take(request.caller.accountId));
    takeForParts(reply, PART_BYTES);
    const first = await text.next();
    setHeaders(reply, etag);
    return await sendStream(reply, JSON_TYPE, continueWith(first.value ?? '', text));
  }
}

interface Document {
  readonly etag: string;
  readonly text: AsyncGenerator<string>;
}

function eventIdOf(file: string): string {
  const id = file.endsWith('.json') ? parseUuid(file.slice(0, -'.json'.length)) : undefined;
  if (id === undefined) throw new Problem('unknown_event');
  return id;
}

function setHeaders(reply: FastifyReply, etag: string): void {
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
}

async function* continueWith(
  first: string,
  others: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    yield first;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}
