import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../domain/problem.ts';
import { parseUuid } from '../../../domain/uuid.ts';
import { mispHashes } from '../../../exports/misp/hashes.ts';
import { findMispEvent, mispFeed, readMispDay } from '../../../operations/reports/misp-feed.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { AccountSlots, releaseWith } from '../../gate/account-slots.ts';
import { takeForParts } from '../../gate/request-memory.ts';
import { isUnchanged } from '../../requests/conditional.ts';
import { mispFileParams, serviceParams } from '../../requests/parameters.ts';
import {
  mispEventText,
  mispManifest,
  stampTag,
  textTag,
} from '../../responses/consumers/misp-documents.ts';
import {
  eventSchema,
  hashesSchema,
  manifestSchema,
} from '../../responses/consumers/misp-schemas.ts';
import { notModified, refusals } from '../../responses/schemas.ts';
import { sendSerialized, sendStream } from '../../responses/send-response.ts';
import { exportSender } from '../exports/send-export.ts';

const tags = ['MISP'];
const JSON_TYPE = 'application/json; charset=utf-8';
/** The rows of a part, its text and its bytes. */
const PART_BYTES = 512 * 1024;

/** A feed as MISP fetches it: a manifest, an event per day, and the hashes of all values. */
export function mispRoutes(app: App, deps: HttpDependencies): void {
  const slots = new AccountSlots(deps.accountLimits.exports, 'too_many_exports');
  const sendExport = exportSender(deps);

  app.route({
    method: 'GET',
    url: '/misp/:service/manifest.json',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'List the events of a MISP feed',
      description:
        'One event for each UTC day with reports, by its UUID. Every change of a report raises the timestamp of its event, and no two events of a feed have the same timestamp. Spends no quota.',
      operationId: 'mispManifest',
      tags,
      params: serviceParams,
      response: { 200: manifestSchema, 304: notModified, ...refusals(400, 401, 404, 429) },
    },
    async handler(request, reply) {
      const manifest = mispManifest(request.service, await mispFeed(deps, request.service.slug));
      const etag = textTag(manifest);
      setHeaders(reply, etag);
      return isUnchanged(request, etag) ? sendUnchanged(reply) : sendSerialized(reply, manifest);
    },
  });

  app.route({
    method: 'GET',
    url: '/misp/:service/hashes.csv',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'List the hashes of a MISP feed',
      description:
        'The MD5 of every value and the UUID of its event, a line each, as the feed was at one moment. Built once for each state of the feed. 404 if the feed has no value. Spends no quota.',
      operationId: 'mispHashes',
      tags,
      params: serviceParams,
      response: { 200: hashesSchema, 304: notModified, ...refusals(400, 401, 404, 429) },
    },
    async handler(request, reply) {
      return await sendExport(request, reply, {
        export: {
          format: mispHashes.format,
          scope: request.service.slug,
          filter: {},
          options: {},
        },
        mediaType: mispHashes.mediaType,
        isCompressed: false,
        // MISP takes an empty file of hashes for an error, and shows the text of this one.
        emptyProblem: () => new Problem('empty_misp_feed'),
      });
    },
  });

  app.route({
    method: 'GET',
    url: '/misp/:service/:file',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Fetch an event of a MISP feed',
      description:
        'The reports of one day: an address, a file and a link each. Deleted reports have `deleted` until their tombstones are removed. Spends no quota.',
      operationId: 'mispEvent',
      tags,
      params: mispFileParams,
      response: { 200: eventSchema, 304: notModified, ...refusals(400, 401, 404, 429) },
    },
    async handler(request, reply) {
      const { service, params } = request;
      const event = await findMispEvent(deps, service.slug, eventIdOf(params.file));
      const etag = stampTag(service, event.namespace, event.day.stamp);
      const parts = readMispDay(deps, service.slug, event.day.day);
      const text = mispEventText(service, event, { parts, hosts: deps.indicatorHosts() });
      return await sendParts(request, reply, { etag, text, slots });
    },
  });
}

function eventIdOf(file: string): string {
  const id = file.endsWith('.json') ? parseUuid(file.slice(0, -'.json'.length)) : undefined;
  if (id === undefined) throw new Problem('unknown_event');
  return id;
}

function setHeaders(reply: FastifyReply, etag: string): void {
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
}

function sendUnchanged(reply: FastifyReply): FastifyReply {
  return reply.code(304).send();
}

interface Document {
  readonly etag: string;
  readonly text: AsyncGenerator<string>;
  readonly slots: AccountSlots;
}

/** An error before the first part is sent without the headers. */
async function sendParts(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, text, slots }: Document,
): Promise<FastifyReply> {
  if (isUnchanged(request, etag)) {
    setHeaders(reply, etag);
    return sendUnchanged(reply);
  }
  releaseWith(reply.raw, slots.take(request.caller.accountId));
  takeForParts(reply, PART_BYTES);
  const first = await text.next();
  setHeaders(reply, etag);
  return await sendStream(reply, JSON_TYPE, continueWith(first.value ?? '', text));
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
