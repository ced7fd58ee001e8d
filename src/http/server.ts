import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem } from '../domain/problem.ts';
import type { Log } from '../observability/log.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  limitConnections,
} from './connections/connection-limits.ts';
import { heedExpectations } from './connections/expectations.ts';
import { orderPipelinedRequests } from './connections/pipelining.ts';
import { refuseUnreadable } from './connections/unreadable-requests.ts';
import type { HttpDependencies } from './dependencies.ts';
import { guardRoutes } from './gate/access.ts';
import { countMemory } from './gate/held-memory.ts';
import { MemoryBudget } from './gate/memory-budget.ts';
import { OtherMethods } from './gate/other-methods.ts';
import { observeRequests } from './observe.ts';
import { openApi } from './openapi/document.ts';
import { compileValidator } from './requests/field-rules.ts';
import { refuseEncoded } from './requests/plain-body.ts';
import { errorReplies } from './responses/error-replies.ts';
import { accountRoutes } from './routes/account.ts';
import { adminAccountRoutes } from './routes/admin-accounts.ts';
import { adminDataRoutes } from './routes/admin-data.ts';
import { adminServiceRoutes } from './routes/admin-services.ts';
import { adminWebhookRoutes } from './routes/admin-webhooks.ts';
import { deskRoutes } from './routes/desk.ts';
import { docsRoutes } from './routes/docs.ts';
import { feedRoutes } from './routes/feed.ts';
import { feedBatchRoutes } from './routes/feed-batch.ts';
import { feedListingRoutes } from './routes/feed-listing.ts';
import { healthRoutes } from './routes/health.ts';
import { sampleRoutes } from './routes/sample.ts';
import { sampleFileRoutes } from './routes/sample-file.ts';
import { searchRoutes } from './routes/search.ts';
import { similarRoutes } from './routes/similar.ts';
import { type StreamParts, streamRoutes } from './routes/stream.ts';
import { uploadRoutes } from './routes/upload.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { isWebSocketCall, webSocketRoute } from './routes/websocket.ts';
import { Streams } from './stream/streams.ts';
import { StreamTickets } from './stream/tickets.ts';
import type { App } from './typed-app.ts';

export interface ServerOptions {
  readonly log: Log;
  /** Whose `X-Forwarded-For` is believed: addresses and networks, or nobody's. */
  readonly trustProxy: readonly string[] | false;
  /** Where they differ from the defaults. */
  readonly limits?: Partial<ServerLimits>;
}

export interface ServerLimits extends ConnectionLimits {
  /** The most that is held for callers at a time; by default a part of the memory that there is. */
  readonly memoryBytes: number | undefined;
}

/** The largest report with every member at its longest stays well below. */
const BODY_LIMIT = 64 * 1024;
/** A hash of any length must reach its handler, to be charged and refused. */
const MAX_PARAM_LENGTH = 16 * 1024;
/** An import may take a while to arrive; whoever sends a body drop by drop is not waited for any longer. */
const REQUEST_TIMEOUT_MS = 900_000;

/** Answers are for their caller alone, and are data: no browser may guess, frame or run them. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export async function buildServer(deps: HttpDependencies, options: ServerOptions): Promise<App> {
  const nextId = requestIds();
  const replyWithError = errorReplies(deps, options.log);
  const app: App = fastify({
    // It would make a child of the log for every request, which costs more than finding its report.
    logger: false,
    genReqId: nextId,
    trustProxy: options.trustProxy === false ? false : [...options.trustProxy],
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      // Node's own refusal of a request without a host would not be in our form.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => deps.compatWebSocket && isWebSocketCall(request),
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    exposeHeadRoutes: false,
    // Calls already under way when the server stops are answered as usual.
    return503OnClosing: false,
    clientErrorHandler: refuseUnreadable(nextId, HEADERS),
    frameworkErrors: (error, request, reply) => {
      addHeaders(request, reply as FastifyReply);
      return replyWithError(error, request, reply as FastifyReply);
    },
  });

  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler(() => {
    throw new Problem('unknown_route');
  });
  const memory = new MemoryBudget(deps.metrics.memory, options.limits?.memoryBytes);
  countMemory(app, memory, options.log);
  limitConnections(app, {
    trustProxy: options.trustProxy,
    limits: { ...CONNECTION_LIMITS, ...options.limits },
    numbers: deps.metrics.memory.connections,
  });
  orderPipelinedRequests(app, memory);
  app.addHook('onRequest', (request, reply, done) => {
    addHeaders(request, reply);
    const { httpVersion, headers } = request.raw;
    const lacksHost = httpVersion === '1.1' && headers.host === undefined;
    if (lacksHost) done(new Problem('malformed_request'));
    // Its body would be read first, for which its caller may wait to be told.
    else if (headers.expect !== undefined && request.is404) done(new Problem('unknown_route'));
    else done();
  });
  heedExpectations(app);
  // Who waits for an analysis is answered, so that nobody waits for them.
  app.addHook('preClose', (done) => {
    deps.analysisEvents.close();
    done();
  });
  // No call of ours has a body where it deletes; some clients state a type for one all the same.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  observeRequests(app, deps.metrics, options.log);
  takeJsonOnly(app);

  const otherMethods = new OtherMethods();
  otherMethods.watch(app);
  const parts = { streams: new Streams(deps, options.log), tickets: new StreamTickets(deps) };
  deps.metrics.sources.listeners = () => parts.streams.size;
  guardRoutes(app, deps, parts.tickets);
  await openApi(app);
  await addRoutes(app, deps, options.log, parts);
  otherMethods.refuse(app);
  await app.ready();
  return app;
}

async function addRoutes(
  app: App,
  deps: HttpDependencies,
  log: Log,
  parts: StreamParts,
): Promise<void> {
  feedRoutes(app, deps);
  feedListingRoutes(app, deps);
  deskRoutes(app, deps);
  streamRoutes(app, deps, parts);
  webhookRoutes(app, deps);
  sampleRoutes(app, deps);
  similarRoutes(app, deps);
  searchRoutes(app, deps);
  sampleFileRoutes(app, deps, log);
  accountRoutes(app, deps);
  adminServiceRoutes(app, deps);
  adminAccountRoutes(app, deps);
  adminWebhookRoutes(app, deps);
  // Scopes of their own: only there is a form or NDJSON a body.
  for (const routes of [uploadRoutes, adminDataRoutes, feedBatchRoutes]) {
    await app.register((scope: App, _, done) => {
      routes(scope, deps, log);
      done();
    });
  }
  healthRoutes(app, deps);
  await docsRoutes(app);
  if (deps.compatWebSocket) webSocketRoute(app, deps, log);
}

function addHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.headers(HEADERS);
}

/** Unique in all logs of one installation, and cheap: a random beginning for the process, then a count. */
function requestIds(): () => string {
  const process = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}

/** Fastify would take text as well, and would quietly replace bytes that are not UTF-8. */
function takeJsonOnly(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const refusal = refuseEncoded(request);
    if (refusal !== undefined) return done(refusal);
    if (!isUtf8(body as Buffer)) return done(new Problem('malformed_json'));
    return parseJson(request, body.toString(), done);
  });
}
