import { type Config, listenUrl } from '../config.ts';
import type { Directory } from '../domain/directory/directory.ts';
import type { KnownLists } from '../domain/lists/known-lists.ts';
import { IndicatorHosts } from '../domain/reports/indicator-hosts.ts';
import type { App } from '../http/fastify-types.ts';
import { createRates } from '../http/gate/account-rates.ts';
import { BadTokens } from '../http/gate/bad-tokens.ts';
import { TokenUsage } from '../http/gate/token-usage.ts';
import { buildServer } from '../http/server.ts';
import { WorkWatch } from '../jobs/work-watch.ts';
import { createLog, type Log } from '../observability/log.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import { serveMetrics } from '../observability/metrics-server.ts';
import { identifyCaller } from '../operations/accounts/identify-caller.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { WorkerState } from '../ports/analyser.ts';
import { ClockGuard } from './clock-guard.ts';
import { ClosingStack } from './closing-stack.ts';
import { openExports } from './exports/open-exports.ts';
import { createFirstAdmin, type FirstAdmin } from './first-admin.ts';
import { startHousekeeping } from './housekeeping.ts';
import { loadDirectory } from './load-directory.ts';
import { openDependencies } from './open-dependencies.ts';
import { Readiness } from './readiness.ts';
import { untilRefused } from './refusal.ts';
import { warnAboutSecrets } from './secret-keys.ts';
import { type Analyses, startAnalyses, startWorkers } from './start-analyses.ts';
import { openOutgoing, startDeliveries, startMail } from './start-deliveries.ts';
import { exposeConnectionMetrics, exposeQueueMetrics } from './store-metrics.ts';
import { systemTimer } from './system-timer.ts';

const IDLE_CHECK_MS = 50;
/** Connections that are still busy by then are closed, which leaves time to close the rest. */
const DRAIN_TIMEOUT_MS = 8000;

export interface Running {
  readonly url: string;
  readonly log: Log;
  /** The first account, if this start created it. */
  readonly firstAdmin: FirstAdmin | undefined;
  /** Resolves with the reason when the store no longer admits this node, which must then stop. */
  readonly refused: Promise<string>;
  /** Drains the requests in progress, then closes everything. */
  stop(): Promise<void>;
}

interface ServiceOptions {
  readonly log?: Log;
  /** Set if the primary process serves the metrics of this one. */
  readonly onMetrics?: (metrics: Metrics) => void;
  /** Returns the workers of this node, if another process runs them. */
  readonly workerState?: () => Promise<WorkerState | undefined>;
  /** Whether other processes of the server listen on the same port. */
  readonly sharesPort?: boolean;
}

/**
 * Starts the server: store, first account, webhooks, HTTP server, housekeeping, analyses, metrics.
 * What is started is added to the closing stack, so that a failed start and a stop close it in
 * reverse.
 */
export async function startServer(
  config: Config,
  {
    log = createLog(config.logLevel),
    onMetrics,
    workerState,
    sharesPort = false,
  }: ServiceOptions = {},
): Promise<Running> {
  // A free port is known only after the server listens.
  let url = listenUrl(config);
  const baseUrl = () => config.baseUrl ?? url;
  const metrics = createMetrics();
  onMetrics?.(metrics);
  const deps = await openDependencies(config, baseUrl, { probe: true, serves: true, log });
  const closing = new ClosingStack();
  closing.add(() => deps.store.close());
  const refused = untilRefused(deps.store, log);
  const clockGuard = new ClockGuard({ ...deps, timer: systemTimer() }, log);
  const trustedTime = () => clockGuard.trustedTime();
  const tokenUsage = new TokenUsage();
  let isDraining = false;
  let analyses: Analyses | undefined;
  try {
    const workers = startWorkers(config, log);
    closing.add(() => workers.stop());
    clockGuard.exposeMetrics(metrics);
    exposeConnectionMetrics(metrics, deps);
    // The queue is shared: if each process counted it, the primary process would add up the counts.
    if (onMetrics === undefined) exposeQueueMetrics(metrics, deps);
    const firstAdmin = await createFirstAdmin(config, deps);
    await warnAboutSettings(config, deps, log);
    const outgoing = await openOutgoing(config);
    await warnAboutSecrets(config, deps, { ...outgoing, log });
    const watch = new WorkWatch({ ...deps, log, keyId: outgoing.sealer.keyId });
    const context = { log, metrics, watch };
    const deliveries = startDeliveries({ ...deps, ...outgoing }, baseUrl, {
      ...context,
      trustedTime,
    });
    const exports = openExports(config, { feeds: deps.store.feeds, log, baseUrl });
    closing.add(() => exports.close());
    const mail = startMail({ ...deps, ...outgoing }, baseUrl, context);
    const app = await openApp(config, log, {
      ...deps,
      exports,
      ...outgoing,
      wakeDeliveries: () => {
        deliveries.wake();
        mail?.wake();
      },
      metrics,
      tokenUsage,
      workers: workerState ?? (async () => analyses?.workers()),
      settings: config.settings,
      isDraining: () => isDraining,
      baseUrl,
    });
    const background = { ...deps, ...outgoing, trustedTime, tokenUsage, log, watch };
    closing.add(startHousekeeping(config, background));
    closing.add(() => Promise.all([deliveries.stop(), mail?.stop()]));
    // In parallel: stopping an analysis releases its job, which does not depend on slow clients.
    closing.add(() => Promise.all([drain(app), analyses?.stop()]));
    closing.add(() => deps.analysisEvents.close());
    closing.add(() => watch.stop());
    url = await listen(app, config, sharesPort);
    log.info({ url }, 'listening');
    analyses = startAnalyses(config, deps, { ...context, workers });
    closing.add(await serveMetrics(metrics.registry, config, log));
    const stop = () => {
      isDraining = true;
      return closing.close();
    };
    return { url, log, firstAdmin, refused, stop };
  } catch (cause) {
    await closing.close();
    throw cause;
  }
}

type HttpDependencies = Parameters<typeof buildServer>[0];

/** Builds the HTTP server with its own state: rate limits, throttling of bad tokens, readiness. */
function openApp(
  config: Config,
  log: Log,
  deps: Omit<
    HttpDependencies,
    'badTokens' | 'rates' | 'compatWebSocket' | 'whyNotReady' | 'indicatorHosts' | 'directory'
  > &
    Pick<Awaited<ReturnType<typeof openDependencies>>, 'clock'>,
): Promise<App> {
  const readiness = new Readiness(config, { ...deps, log });
  // Made for a request: the base URL may be known only once the server listens, and lists change.
  let known: { readonly lists: KnownLists; readonly hosts: IndicatorHosts } | undefined;
  return buildServer(
    {
      ...deps,
      directory: openDirectory(config, log),
      badTokens: new BadTokens(),
      rates: createRates(config.accountLimits),
      compatWebSocket: config.compatWebSocket,
      indicatorHosts: () => {
        const lists = deps.knownLists();
        if (known?.lists !== lists)
          known = { lists, hosts: new IndicatorHosts({ lists, baseUrl: deps.baseUrl() }) };
        return known.hosts;
      },
      whyNotReady: () => readiness.whyNotReady(),
    },
    {
      log,
      trustProxy: config.trustProxy.length > 0 && config.trustProxy,
      corsOrigins: config.corsOrigins,
      limits: config.limits,
    },
  );
}

function listen(app: App, { host, port }: Config, sharesPort: boolean): Promise<string> {
  // Passed on to `net.Server`. The types of fastify do not declare `reusePort`.
  const listenAddress = { host, port, reusePort: sharesPort };
  return app.listen(listenAddress);
}

async function warnAboutSettings(config: Config, deps: Dependencies, log: Log): Promise<void> {
  const { adminToken, database, secretKey } = config;
  if (adminToken !== undefined && !(await identifyCaller(deps, adminToken)))
    log.warn(
      'RAPSHEET_ADMIN_TOKEN is not a token of this store: it takes effect only at the first start',
    );
  // Every node sends the webhooks of all nodes.
  if (database.kind === 'postgres' && secretKey === undefined)
    log.warn(
      'RAPSHEET_SECRET_KEY is not set: other nodes of this store cannot send the webhooks of this node',
    );
  if (config.mail === undefined) {
    const services = (await deps.store.mail.list()).map(({ service }) => service);
    if (services.length > 0)
      log.warn(
        { services },
        'RAPSHEET_SMTP_URL is not set: these services get no mail, which waits for it',
      );
  }
}

/** Files with mistakes are left out: the others still say who answers. */
function openDirectory(config: Config, log: Log): Directory {
  const { directory, problems } = loadDirectory(config);
  for (const problem of problems) log.warn({ problem }, 'an entry of the directory is wrong');
  return directory;
}

/** Stops listening. A busy connection is closed after its response, or at the timeout. */
async function drain(app: App): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const timeout = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(timeout);
}
