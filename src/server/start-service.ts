import { type Config, listenUrl } from '../config.ts';
import { DAY_MS } from '../domain/duration.ts';
import { createRates } from '../http/gate/account-rates.ts';
import { BadTokens } from '../http/gate/bad-tokens.ts';
import { TokenDigests } from '../http/gate/token-digests.ts';
import { TokenUses } from '../http/gate/token-uses.ts';
import { buildServer } from '../http/server.ts';
import type { App } from '../http/typed-app.ts';
import { createLog, type Log } from '../observability/log.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import { serveMetrics } from '../observability/metrics-server.ts';
import { identifyCaller } from '../operations/accounts/identify-caller.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import { ClockGuard } from './clock-guard.ts';
import { makeFirstAdmin, type NewAdminToken } from './first-admin.ts';
import { type Chore, keepUp, type TrustedTime } from './housekeeping.ts';
import { type OpenDependencies, openDependencies } from './open-dependencies.ts';
import { Readiness } from './readiness.ts';
import { type Analyses, startAnalyses } from './start-analyses.ts';
import { openOutgoing, startDeliveries } from './start-deliveries.ts';
import { watchConnections, watchQueue } from './store-metrics.ts';
import { systemTimer } from './system-timer.ts';

const TOKEN_USES_EVERY_MS = 60_000;
const RETRY_KEYS_EVERY_MS = 3_600_000;
const SWEEP_EVERY_MS = 3_600_000;
const CLOCK_EVERY_MS = 10_000;
const IDLE_CHECK_MS = 50;
/** A caller that has not let go by then is cut off, so that there is time left to tidy up. */
const DRAIN_MS = 8000;
const RETRY_KEYS_KEPT_MS = DAY_MS;
/** What is indexed at a time: each slice holds up the event loop while it commits. */
const SLICE = 5;
const CHANGES_SLICE = 500;
/** Some 3 ms on SQLite. */
const RETRY_KEYS_SLICE = 500;
const SMALL_SLICE = 100;

export interface Running {
  readonly url: string;
  readonly log: Log;
  /** The token of the first account and where it is kept, where this start made it. */
  readonly newAdminToken: NewAdminToken | undefined;
  /** Finishes what is in flight, then closes everything. */
  stop(): Promise<void>;
}

interface ServiceOptions {
  readonly log?: Log;
  /** Where the numbers of this process are shown by another. */
  readonly onMetrics?: (metrics: Metrics) => void;
  /** Whether others of our processes listen on the same port. */
  readonly sharesPort?: boolean;
}

/** Starts the service: store, first account, HTTP, metrics. */
export async function startService(
  config: Config,
  { log = createLog(config.logLevel), onMetrics, sharesPort = false }: ServiceOptions = {},
): Promise<Running> {
  let url = listenUrl(config);
  let draining = false;
  const metrics = createMetrics();
  onMetrics?.(metrics);
  const tokenUses = new TokenUses();
  let analyses: Analyses | undefined;
  const deps = await openDependencies(config, () => config.baseUrl ?? url, { probe: true, log });
  const closers: (() => unknown)[] = [() => deps.store.close()];
  watchConnections(metrics, deps);
  const guard = new ClockGuard({ ...deps, timer: systemTimer() }, log);
  guard.showIn(metrics);
  const readiness = new Readiness(config, { ...deps, log });
  const trustedTime: TrustedTime = () => guard.trustedTime();
  // Where another process shows the numbers, it asks the queue itself: added up it would be too much.
  if (onMetrics === undefined) watchQueue(metrics, deps);
  try {
    const newAdminToken = await makeFirstAdmin(config, deps);
    await warnOfForeignToken(config, deps, log);
    warnOfOwnKey(config, log);
    const outgoing = await openOutgoing(config);
    const deliveries = startDeliveries({ ...deps, ...outgoing }, () => config.baseUrl ?? url, {
      log,
      metrics,
      trustedTime,
    });
    const app = await buildServer(
      {
        ...deps,
        ...outgoing,
        wakeDeliveries: () => deliveries.wake(),
        metrics,
        tokenUses,
        badTokens: new BadTokens(),
        rates: createRates(config.accountLimits),
        tokenDigests: new TokenDigests(),
        isolation: () => analyses?.isolation(),
        compatWebSocket: config.compatWebSocket,
        isDraining: () => draining,
        whyNotReady: () => readiness.whyNotReady(),
        baseUrl: () => config.baseUrl ?? url,
      },
      {
        log,
        trustProxy: config.trustProxy.length > 0 && config.trustProxy,
        limits: config.limits,
      },
    );
    closers.unshift(keepHouse({ ...deps, trustedTime }, tokenUses, log));
    for (const chore of chores(config, deps)) closers.unshift(keepUp(chore, log, trustedTime));
    closers.unshift(() => deliveries.stop());
    // Side by side: an analysis is given back whole, however long a caller takes to let go.
    closers.unshift(() => Promise.all([drain(app), analyses?.stop()]));
    closers.unshift(() => deps.news.close());
    // Handed on to `net.Server`; the types of fastify do not know of `reusePort` yet.
    const place = { host: config.host, port: config.port, reusePort: sharesPort };
    url = await app.listen(place);
    log.info({ url }, 'listening');
    analyses = startAnalyses(config, deps, { log, metrics });
    closers.unshift(await serveMetrics(metrics.registry, config.metricsPort, log));
    return {
      url,
      log,
      newAdminToken,
      stop: async () => {
        draining = true;
        for (const close of closers) await close();
      },
    };
  } catch (cause) {
    for (const close of closers) await close();
    throw cause;
  }
}

export interface RunningWorker {
  readonly log: Log;
  /** Gives back what it works on, then closes everything. */
  stop(): Promise<void>;
}

/** Analyses samples for whoever takes them in, without answering requests. */
export async function startWorker(config: Config): Promise<RunningWorker> {
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const deps = await openDependencies(config, undefined, { probe: true, log });
  watchConnections(metrics, deps);
  watchQueue(metrics, deps);
  const stopLooking = watchClock(deps, log, metrics);
  const analyses = startAnalyses(config, deps, { log, metrics });
  const stopMetrics = await serveMetrics(metrics.registry, config.metricsPort, log);
  return {
    log,
    stop: async () => {
      stopLooking();
      await stopMetrics();
      await analyses.stop();
      await deps.store.close();
    },
  };
}

/** A worker has no housekeeping to stop, but its operator wants to know of a wrong clock all the same. */
function watchClock(deps: OpenDependencies, log: Log, metrics: Metrics): () => void {
  const guard = new ClockGuard({ ...deps, timer: systemTimer() }, log);
  guard.showIn(metrics);
  const look = { name: 'checking the clock', slice: async () => 0, everyMs: CLOCK_EVERY_MS };
  return keepUp(look, log, () => guard.trustedTime());
}

async function warnOfForeignToken(config: Config, deps: Dependencies, log: Log): Promise<void> {
  if (config.adminToken === undefined || (await identifyCaller(deps, config.adminToken))) return;
  log.warn('RAPSHEET_ADMIN_TOKEN is not a token of this store: only its first start takes it');
}

/** Webhooks of which one node has sealed the secrets are sent by all. */
function warnOfOwnKey({ database, secretKey }: Config, log: Log): void {
  if (database.kind !== 'postgres' || secretKey !== undefined) return;
  log.warn('RAPSHEET_SECRET_KEY is not set: other nodes on this store cannot send our webhooks');
}

/** What never ends, a little at a time. */
function chores({ changesKeptDays }: Config, { store }: Dependencies): readonly Chore[] {
  return [
    {
      // Reports that came in bulk, or before there was an index.
      name: 'indexing similar files',
      slice: () => store.samples.indexSimilar(SLICE),
      everyMs: 10_000,
    },
    {
      name: 'indexing old reports for the search',
      slice: () => store.search.indexOld(SLICE),
      everyMs: 10_000,
    },
    {
      name: 'renaming reports after analyses',
      slice: (now) => store.feeds.renamePending(now, SMALL_SLICE),
      everyMs: 2000,
    },
    {
      name: 'letting reports expire',
      slice: (now) => store.feeds.expire(now, SMALL_SLICE),
      everyMs: 10_000,
    },
    {
      name: 'forgetting positions that nobody uses',
      slice: (now) =>
        store.feeds.forgetPositions(
          new Date(now.getTime() - changesKeptDays * DAY_MS),
          SMALL_SLICE,
        ),
      everyMs: 3_600_000,
    },
    {
      name: 'forgetting old changes',
      slice: (now) =>
        store.feeds.forgetChanges(
          new Date(now.getTime() - changesKeptDays * DAY_MS),
          CHANGES_SLICE,
        ),
      everyMs: 3_600_000,
    },
    {
      name: 'removing old retry keys',
      slice: (now) =>
        store.reports.forgetRetryKeys(
          new Date(now.getTime() - RETRY_KEYS_KEPT_MS),
          RETRY_KEYS_SLICE,
        ),
      everyMs: RETRY_KEYS_EVERY_MS,
    },
  ];
}

/** What is written down now and then. Returns what ends it, after a last time. */
function keepHouse(
  deps: Dependencies & { readonly trustedTime: TrustedTime },
  tokenUses: TokenUses,
  log: Log,
): () => Promise<void> {
  const attempt = (work: () => Promise<void>) => () =>
    work().catch((err: unknown) => log.error({ err }, 'housekeeping failed'));
  const writeUses = attempt(() => tokenUses.write(deps.store.tokens));
  const sweep = attempt(async () => {
    if ((await deps.trustedTime()) !== undefined) await deps.files.sweep();
  });
  const timers = [setInterval(writeUses, TOKEN_USES_EVERY_MS), setInterval(sweep, SWEEP_EVERY_MS)];
  void sweep();
  for (const timer of timers) timer.unref();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await writeUses();
  };
}

/** A connection that was busy when the server stopped listening is closed once it has its answer. */
async function drain(app: App): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const late = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  await app.close();
  clearInterval(idle);
  clearTimeout(late);
}
