import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { Positions } from '../../domain/reports/cursor.ts';
import { resolvePositions } from '../../operations/reports/resolve-positions.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { AccountSlots, releaseWith } from '../gate/account-slots.ts';
import { credentialDigest } from '../gate/authenticate.ts';
import { HEAD, streamOfAllQuery, streamQuery } from '../requests/feed-query.ts';
import { integerBetween } from '../requests/field-rules.ts';
import { serviceParams } from '../requests/parameters.ts';
import { formatUtc } from '../responses/present.ts';
import { eventStream, ticketIssued } from '../responses/report-schemas.ts';
import { refusals } from '../responses/schemas.ts';
import { StreamReader } from '../stream/reader.ts';
import type { StreamStart, Streams } from '../stream/streams.ts';
import type { StreamTickets } from '../stream/tickets.ts';
import { renameParameters } from './moved.ts';

const tags = ['Feeds'];

export interface StreamParts {
  readonly streams: Streams;
  readonly tickets: StreamTickets;
}

/** Feeds as server-sent events. */
export function streamRoutes(app: App, deps: HttpDependencies, parts: StreamParts): void {
  const { streams, tickets } = parts;
  const slots = new AccountSlots(deps.accountLimits.streams, 'too_many_streams');

  app.route({
    method: 'GET',
    url: '/feed/:service/stream',
    config: { access: 'token', acceptsTicket: true },
    preValidation: renameParameters,
    schema: {
      summary: 'Follow a feed',
      description:
        'New changes, preceded by those after the header `Last-Event-ID`, which an `EventSource` sends by itself, or after `since` if one is given. `event: reset` means that the changes in between have been deleted: list the feed again; the events that follow continue from its id.',
      operationId: 'feedStream',
      tags,
      params: serviceParams,
      querystring: streamQuery,
      response: { 200: eventStream, ...refusals(400, 401, 404, 429) },
    },
    async handler(request, reply) {
      const { slug } = request.service;
      const at = (number: number): Positions => new Map([[slug, number]]);
      const last = lastEventIdOf(request);
      const number =
        last === undefined ? undefined : integerBetween(0, Number.MAX_SAFE_INTEGER)(last);
      if (last !== undefined)
        return begin(
          request,
          reply,
          resumeFrom(slug, number === undefined ? undefined : at(number)),
        );
      const { since } = request.query;
      return begin(request, reply, {
        scope: slug,
        since: since === undefined || since === HEAD ? undefined : at(since),
        isStrict: true,
      });
    },
  });

  app.route({
    method: 'GET',
    url: '/feed/all/stream',
    config: { access: 'token', acceptsTicket: true },
    preValidation: renameParameters,
    schema: {
      summary: 'Follow all feeds',
      description: 'Like the stream of one feed; an id is a position in all feeds.',
      operationId: 'allStream',
      tags,
      querystring: streamOfAllQuery,
      response: { 200: eventStream, ...refusals(400, 401, 429) },
    },
    async handler(request, reply) {
      const last = lastEventIdOf(request);
      if (last !== undefined)
        return begin(request, reply, resumeFrom(undefined, await resolvePositions(deps, last)));
      const { since } = request.query;
      const isHead = since === undefined || since === HEAD;
      const start = isHead ? undefined : await resolvePositions(deps, since);
      if (!isHead && start === undefined) throw new Problem('invalid_cursor');
      return begin(request, reply, { scope: undefined, since: start, isStrict: true });
    },
  });

  app.route({
    method: 'POST',
    url: '/feed/:service/stream/tickets',
    config: { access: 'token' },
    schema: {
      summary: 'Get a ticket for the stream of a feed',
      description: TICKET,
      operationId: 'streamTicket',
      tags,
      params: serviceParams,
      response: { 201: ticketIssued, ...refusals(400, 401, 404, 429) },
    },
    handler: (request, reply) => sendTicket(request, reply, request.service.slug),
  });

  app.route({
    method: 'POST',
    url: '/feed/all/stream/tickets',
    config: { access: 'token' },
    schema: {
      summary: 'Get a ticket for the stream of all feeds',
      description: TICKET,
      operationId: 'allStreamTicket',
      tags,
      response: { 201: ticketIssued, ...refusals(400, 401, 429) },
    },
    handler: (request, reply) => sendTicket(request, reply, undefined),
  });

  app.addHook('preClose', (done) => {
    streams.close();
    done();
  });

  async function sendTicket(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: StreamStart['scope'],
  ) {
    const { ticket, expiresAt } = await tickets.issue(scope, digestOf(deps, request));
    return reply.code(201).send({ ticket, expiresAt: formatUtc(expiresAt) });
  }

  async function begin(request: FastifyRequest, reply: FastifyReply, start: StreamStart) {
    releaseWith(reply.raw, slots.take(request.caller.accountId));
    await streams.open(start, () => connect(deps, request, reply));
    return reply;
  }
}

const TICKET =
  'For browsers, which cannot set a header when they open a stream. A ticket opens one stream, once, within 30 seconds.';

/** Takes the response over from fastify, which would buffer it. */
function connect(
  deps: HttpDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): StreamReader {
  reply.hijack();
  const { raw } = reply;
  // The connection is closed when the stream ends.
  raw.shouldKeepAlive = false;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // Stops proxies from buffering the stream.
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  const { caller, server, routeOptions } = request;
  server.recordRequest(request, routeOptions.url ?? '', 200);
  return new StreamReader(raw, digestOf(deps, request), { viewer: caller, memory: server.memory });
}

function digestOf(deps: HttpDependencies, request: FastifyRequest): Uint8Array {
  return request.ticketDigest ?? credentialDigest(deps, request);
}

function lastEventIdOf({ headers, query }: FastifyRequest): string | undefined {
  const header = headers['last-event-id'];
  const { last_event_id } = query as { last_event_id?: string };
  const last = (Array.isArray(header) ? header[0] : header) ?? last_event_id;
  return last === '' ? undefined : last;
}

/** A client that reconnects by itself cannot handle a refusal, so it receives a reset event. */
function resumeFrom(scope: StreamStart['scope'], since: StreamStart['since']): StreamStart {
  return { scope, since: since ?? 'unknown', isStrict: false };
}
