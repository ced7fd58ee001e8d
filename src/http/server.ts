import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import fastify, { type FastifyReply } from 'fastify';
import { Problem } from '../domain/problem.ts';
import type { Log } from '../observability/log.ts';
import { CollectionIds } from '../operations/taxii/find-collection.ts';
import { type ConnectionLimits, limitConnections } from './connections/connection-limits.ts';
import { handleExpectations } from './connections/expect-continue.ts';
import { refuseMalformed } from './connections/malformed-requests.ts';
import { PendingResponses } from './connections/pending-responses.ts';
import { orderPipelinedRequests } from './connections/pipelining.ts';
import type { HttpDependencies } from './dependencies.ts';
import type { App } from './fastify-types.ts';
import { guardRoutes } from './gate/access.ts';
import { AllowedMethods } from './gate/allowed-methods.ts';
import { type CorsOrigins, createCors } from './gate/cors.ts';
import { MemoryBudget } from './gate/memory-budget.ts';
import { trackMemory } from './gate/request-memory.ts';
import { BODY_LIMIT, openApi } from './openapi/document.ts';
import { observeRequests } from './request-metrics.ts';
import { normalizeUrl } from './request-url.ts';
import { compileValidator } from './requests/field-rules.ts';
import { acceptJsonOnly } from './requests/json-body.ts';
import { errorReplies } from './responses/error-replies.ts';
import { addResponseHeaders, HEADERS, setHeaders } from './responses/response-headers.ts';
import { accountRoutes } from './routes/account.ts';
import { adminAccountRoutes } from './routes/admin-accounts.ts';
import { adminAnalysisRoutes } from './routes/admin-analyses.ts';
import { adminDataRoutes } from './routes/admin-data.ts';
import { adminServiceRoutes } from './routes/admin-services.ts';
import { mispRoutes } from './routes/consumers/misp.ts';
import { threatfoxRoutes } from './routes/consumers/threatfox.ts';
import { adminWebhookRoutes } from './routes/deliveries/admin-webhooks.ts';
import { mailRoutes } from './routes/deliveries/mail.ts';
import { webhookRoutes } from './routes/deliveries/webhooks.ts';
import { deskRoutes } from './routes/desk.ts';
import { docsRoutes } from './routes/docs.ts';
import { feedExportRoutes } from './routes/exports/feed-export.ts';
import { feedRoutes } from './routes/feed.ts';
import { feedBatchRoutes } from './routes/feed-batch.ts';
import { feedListingRoutes } from './routes/feed-listing.ts';
import { feedStatisticsRoutes } from './routes/feed-statistics.ts';
import { healthRoutes } from './routes/health.ts';
import { mispEventRoutes } from './routes/intake/misp.ts';
import { xarfRoutes } from './routes/intake/xarf.ts';
import { movedRoutes } from './routes/moved.ts';
import { ownershipRoutes } from './routes/ownership.ts';
import { proposalRoutes } from './routes/proposals.ts';
import { sampleRoutes } from './routes/sample.ts';
import { sampleFileRoutes } from './routes/sample-file.ts';
import { searchRoutes } from './routes/search.ts';
import { serviceRoutes } from './routes/services.ts';
import { adminSessionRoutes, sessionRoutes } from './routes/session.ts';
import { similarRoutes } from './routes/similar.ts';
import { type StreamParts, streamRoutes } from './routes/stream.ts';
import { taxiiDiscoveryRoutes } from './routes/taxii/discovery.ts';
import { taxiiObjectRoutes } from './routes/taxii/objects.ts';
import { taxiiSubmissionRoutes } from './routes/taxii/submissions.ts';
import { trustRoutes } from './routes/trust.ts';
import { uploadRoutes } from './routes/upload.ts';
import { webRoutes } from './routes/web.ts';
import { isWebSocketCall, webSocketRoute } from './routes/websocket.ts';
import { Streams } from './stream/streams.ts';
import { StreamTickets } from './stream/tickets.ts';

export interface ServerOptions {
  readonly log: Log;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted; `false` for none. */
  readonly trustProxy: readonly string[] | false;
  /** Origins whose pages may call the API with a token; none by default. */
  readonly corsOrigins?: readonly string[];
  /** The built web application, if it is not that of this program. */
  readonly webFolder?: URL | undefined;
  readonly limits: ServerLimits;
}

export interface ServerLimits extends ConnectionLimits {
  /** Memory held for clients. */
  readonly memoryBytes: number;
}

/** A hash of any length must reach its handler, which charges and then refuses it. */
const MAX_PARAM_LENGTH = 16 * 1024;
/**
 * An import may take long to arrive. Clients that send a body very slowly are disconnected after
 * this time.
 */
const REQUEST_TIMEOUT_MS = 900_000;

export async function buildServer(deps: HttpDependencies, options: ServerOptions): Promise<App> {
  const { app, responses } = createApp(deps, options);
  const memory = new MemoryBudget(deps.metrics.memory, options.limits.memoryBytes);
  addResponseHeaders(app);
  trackMemory(app, memory, options.log);
  observeRequests(app, deps.metrics, options.log);
  limitConnections(app, {
    trustProxy: options.trustProxy,
    limits: options.limits,
    numbers: deps.metrics.memory.connections,
  });
  const allowedMethods = new AllowedMethods(app);
  const cors = createCors(options.corsOrigins ?? []);
  orderPipelinedRequests(app, responses, memory);
  checkRequests(app, allowedMethods, cors);
  handleExpectations(app);
  // Answers the requests that wait for an analysis, so that shutdown does not wait for them.
  app.addHook('preClose', (done) => {
    deps.analysisEvents.close();
    done();
  });
  // No DELETE has a body here, but some clients send a content type.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  acceptJsonOnly(app);

  const parts = { streams: new Streams(deps, options.log), tickets: new StreamTickets(deps) };
  deps.metrics.sources.listeners = () => parts.streams.size;
  guardRoutes(app, deps, parts.tickets);
  await openApi(app);
  await addRoutes(app, deps, options, parts);
  allowedMethods.refuseOthers();
  await app.ready();
  return app;
}

function createApp(deps: HttpDependencies, options: ServerOptions) {
  const nextId = requestIds();
  const replyWithError = errorReplies(deps, options.log);
  const app: App = fastify({
    // It would create a child logger per request, which costs more than fetching a report.
    logger: false,
    genReqId: nextId,
    trustProxy: options.trustProxy === false ? false : [...options.trustProxy],
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      // Node's refusal of a request without `Host` does not have the form of our errors.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => deps.compatWebSocket && isWebSocketCall(request),
    },
    rewriteUrl: ({ url = '/' }) => normalizeUrl(url),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    exposeHeadRoutes: false,
    // The defaults load two compilers of JSON schemas, which no route uses.
    schemaController: {
      compilersFactory: { buildValidator: unusedCompiler, buildSerializer: unusedCompiler },
    },
    // Requests that are in progress at shutdown are answered as usual.
    return503OnClosing: false,
    clientErrorHandler: refuseMalformed(nextId, HEADERS, () => responses),
    frameworkErrors: (error, request, reply) => {
      setHeaders(request, reply as FastifyReply);
      return replyWithError(error, request, reply as FastifyReply);
    },
  });

  const responses = new PendingResponses(app.server);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler(() => {
    throw new Problem('unknown_route');
  });
  return { app, responses };
}

function checkRequests(
  app: App,
  allowedMethods: AllowedMethods,
  cors: CorsOrigins | undefined,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (cors?.handle(request, reply)) return;
    const { httpVersion, headers } = request.raw;
    const lacksHost = httpVersion === '1.1' && headers.host === undefined;
    if (lacksHost) done(new Problem('malformed_request'));
    else if (request.is404) done(allowedMethods.refusalOf(request, reply) ?? refusalOf404(headers));
    else done();
  });
}

/** Without it the body would be read first, and the client may wait for `100 Continue`. */
function refusalOf404({ expect }: IncomingHttpHeaders): Problem | undefined {
  return expect === undefined ? undefined : new Problem('unknown_route');
}

async function addRoutes(
  app: App,
  deps: HttpDependencies,
  { log, webFolder }: ServerOptions,
  parts: StreamParts,
): Promise<void> {
  feedRoutes(app, deps);
  xarfRoutes(app, deps);
  mispEventRoutes(app, deps, log);
  feedListingRoutes(app, deps);
  feedExportRoutes(app, deps);
  feedStatisticsRoutes(app, deps);
  mispRoutes(app, deps);
  deskRoutes(app, deps);
  streamRoutes(app, deps, parts);
  webhookRoutes(app, deps);
  mailRoutes(app, deps);
  ownershipRoutes(app, deps);
  sampleRoutes(app, deps);
  similarRoutes(app, deps);
  searchRoutes(app, deps);
  proposalRoutes(app, deps);
  serviceRoutes(app, deps);
  trustRoutes(app, deps);
  sampleFileRoutes(app, deps, log);
  accountRoutes(app, deps);
  sessionRoutes(app, deps);
  adminServiceRoutes(app, deps);
  adminAccountRoutes(app, deps);
  adminAnalysisRoutes(app, deps);
  adminSessionRoutes(app, deps);
  adminWebhookRoutes(app, deps);
  const collectionIds = new CollectionIds();
  taxiiDiscoveryRoutes(app, deps, collectionIds);
  taxiiObjectRoutes(app, deps, collectionIds);
  await app.register((scope: App, _, done) => {
    taxiiSubmissionRoutes(scope, deps, collectionIds);
    done();
  });
  // Each in its own scope, because only these routes accept a form, NDJSON or any type.
  for (const routes of [uploadRoutes, adminDataRoutes, feedBatchRoutes, threatfoxRoutes]) {
    await app.register((scope: App, _, done) => {
      routes(scope, deps, log);
      done();
    });
  }
  movedRoutes(app, deps);
  healthRoutes(app, deps);
  docsRoutes(app);
  await webRoutes(app, webFolder);
  if (deps.compatWebSocket) webSocketRoute(app, deps, log);
}

function unusedCompiler(): never {
  throw new Error('a route does not use the compilers of the app');
}

/** Unique across all processes and cheap: a random prefix per process and a counter. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}
