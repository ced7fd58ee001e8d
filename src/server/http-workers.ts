import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, listenUrl } from '../config.ts';
import { SharedMetrics, shareMetrics } from '../observability/cluster-metrics.ts';
import { createLog, type Log } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import { serveMetrics } from '../observability/metrics-server.ts';
import { pause } from '../platform/pause.ts';
import { ClockGuard } from './clock-guard.ts';
import { makeFirstAdmin } from './first-admin.ts';
import { openDependencies } from './open-dependencies.ts';
import { type Running, startService } from './start.ts';
import { startAnalyses } from './start-analyses.ts';
import { watchConnections, watchQueue } from './store-metrics.ts';
import { systemTimer } from './system-timer.ts';

/** A process that ends by itself is replaced, but not over and over without a break. */
const AGAIN_AFTER_MS = 1000;

/**
 * Each of them has a listener of its own on the same port, and the system deals out connections. Were they dealt out by the
 * first process, those that are on their way to a process that is killed would neither be answered nor closed, ever.
 */
const HAS_LISTENERS_OF_ONE_PORT = process.platform === 'linux';

/** What a process tells the first one: that it answers, or why it cannot, which is then said once for all of them. */
type Start = { readonly started: true } | { readonly started: false; readonly reason: string };

/** Whether this process is one of several that answer requests. */
export function isHttpWorker(): boolean {
  return cluster.isWorker;
}

/** One of them: everything but analyses and numbers, which are with the first process. */
export async function startHttpWorker(config: Config): Promise<Running> {
  const running = await startService(
    { ...config, analysisWorkers: 0, metricsPort: 0 },
    { onMetrics: shareMetrics, sharesPort: HAS_LISTENERS_OF_ONE_PORT },
  );
  await tell({ started: true });
  return {
    ...running,
    stop: async () => {
      await running.stop();
      // The way to the first process would keep this one alive.
      process.disconnect?.();
    },
  };
}

/** Instead of saying it: each of them would say the same. */
export async function tellWhyNotStarted(cause: unknown): Promise<never> {
  await tell({ started: false, reason: cause instanceof Error ? cause.message : String(cause) });
  process.exit(1);
}

async function tell(start: Start): Promise<void> {
  await new Promise((resolve) => process.send?.(start, resolve));
}

/**
 * The first process of several on one machine: it makes the others, which share the port and answer requests, replaces
 * those that end, and analyses samples.
 */
export async function startHttpWorkers(config: Config): Promise<Running> {
  const log = createLog(config.logLevel);
  // First: where it is taken, nothing else has been changed.
  const port = await freePort(config);
  const url = listenUrl({ host: config.host, port });
  const deps = await openDependencies(config, () => config.baseUrl ?? url, { probe: true, log });
  const closers: (() => unknown)[] = [() => deps.store.close()];
  const stop = async () => {
    for (const close of closers) await close();
  };
  try {
    const newAdminToken = await makeFirstAdmin(config, deps);
    const metrics = createMetrics();
    watchConnections(metrics, deps);
    watchQueue(metrics, deps);
    new ClockGuard({ ...deps, timer: systemTimer() }, log).showIn(metrics);
    const numbers = new SharedMetrics(metrics);
    const workers = new HttpWorkers({ count: config.httpWorkers, port, log });
    closers.unshift(() => workers.stop());
    await workers.start();
    const analyses = startAnalyses(config, deps, { log, metrics });
    // Side by side, as in a process that does both.
    closers.splice(0, 1, () => Promise.all([workers.stop(), analyses.stop()]));
    closers.splice(-1, 0, await serveMetrics(numbers, config.metricsPort, log));
    return { url, log, newAdminToken, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

interface HttpWorkersOptions {
  readonly count: number;
  readonly port: number;
  readonly log: Log;
}

class HttpWorkers {
  readonly #options: HttpWorkersOptions;
  readonly #stopping = new AbortController();

  constructor(options: HttpWorkersOptions) {
    this.#options = options;
  }

  /** Forks all of them, and waits until they listen. */
  async start(): Promise<void> {
    const { count } = this.#options;
    await Promise.all(Array.from({ length: count }, () => started(this.#fork())));
    cluster.on('exit', (worker) => void this.#replace(worker));
    // Those that ended before anybody listened.
    for (let missing = count - running().length; missing > 0; missing -= 1) this.#refork();
  }

  /** From its first moment on nothing is replaced: whoever ends us from a terminal ends all of us. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(
      running().map(async (worker) => {
        const ended = once(worker, 'exit');
        worker.process.kill('SIGTERM');
        await ended;
      }),
    );
  }

  async #replace({ process: { pid, exitCode, signalCode } }: Worker): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    this.#options.log.error({ pid, exitCode, signalCode }, 'a process ended: replacing it');
    await pause(AGAIN_AFTER_MS, signal);
    if (!signal.aborted) this.#refork();
  }

  #refork(): void {
    started(this.#fork()).catch((err: unknown) =>
      this.#options.log.error({ err }, 'a process could not start'),
    );
  }

  #fork(): Worker {
    return cluster.fork({ RAPSHEET_PORT: String(this.#options.port) });
  }
}

function running(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter(
    (worker) => worker !== undefined && !worker.isDead(),
  ) as Worker[];
}

async function started(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on('message', (message) => {
    if (!isStart(message)) return;
    if (message.started) resolve();
    else reject(new Error(message.reason));
  });
  worker.once('exit', () => reject(new Error('a process that answers requests ended at once')));
  await promise;
}

function isStart(message: unknown): message is Start {
  return typeof message === 'object' && message !== null && 'started' in message;
}

/**
 * The port that all of them share. Listeners of one port do not notice those of another program that shares its port,
 * too; one that shares nothing does. A free one is chosen here, since each of them would be given another.
 */
async function freePort({ host, port }: Config): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : port;
}
