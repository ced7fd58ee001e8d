import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, listenUrl } from '../config.ts';
import { WorkWatch } from '../jobs/work-watch.ts';
import { answerMetricsRequests, ClusterMetrics } from '../observability/cluster-metrics.ts';
import { createLog, type Log } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import { serveMetrics } from '../observability/metrics-server.ts';
import { pause } from '../platform/pause.ts';
import { ClockGuard } from './clock-guard.ts';
import { ClosingStack } from './closing-stack.ts';
import { createFirstAdmin } from './first-admin.ts';
import { openDependencies } from './open-dependencies.ts';
import { REFUSED_EXIT, untilRefused } from './refusal.ts';
import { type Analyses, startAnalyses, startWorkers } from './start-analyses.ts';
import { type Running, startServer } from './start-server.ts';
import { exposeConnectionMetrics, exposeQueueMetrics } from './store-metrics.ts';
import { systemTimer } from './system-timer.ts';
import { answerWorkerState, askWorkerState } from './worker-state-messages.ts';

/** The pause before a worker that ended is replaced, so that a crash loop does not use all CPU. */
const RESTART_DELAY_MS = 1000;

/**
 * On Linux each worker has its own listener on the shared port (`SO_REUSEPORT`), and the kernel
 * distributes connections. If the primary process distributed them, a connection that was passed to
 * a worker that is then killed would neither be answered nor closed.
 */
const CAN_SHARE_PORT = process.platform === 'linux';

/** The message of a worker to the primary process: it listens, or why it cannot start. */
type StartMessage =
  | { readonly started: true }
  | { readonly started: false; readonly reason: string };

/** Whether this process is a worker that the primary process forked. */
export function isHttpWorker(): boolean {
  return cluster.isWorker;
}

/** Starts a worker. Analyses and the metrics listener are in the primary process. */
export async function startHttpWorker(config: Config): Promise<Running> {
  const running = await startServer(
    { ...config, analysisWorkers: 0, metricsPort: 0 },
    {
      onMetrics: answerMetricsRequests,
      workerState: askWorkerState,
      sharesPort: CAN_SHARE_PORT,
    },
  );
  await sendToPrimary({ started: true });
  return {
    ...running,
    stop: async () => {
      await running.stop();
      // An open channel to the primary process would keep this one alive.
      process.disconnect?.();
    },
  };
}

/** Sends the cause to the primary process, which prints it once for all workers. */
export async function reportStartFailure(cause: unknown): Promise<never> {
  const reason = cause instanceof Error ? cause.message : String(cause);
  await sendToPrimary({ started: false, reason });
  process.exit(1);
}

async function sendToPrimary(message: StartMessage): Promise<void> {
  await new Promise((resolve) => process.send?.(message, resolve));
}

/**
 * Starts the primary process of several on one machine. It forks the workers, which share the port
 * and serve requests, replaces workers that end, analyses samples and serves the metrics of all.
 */
export async function startHttpWorkers(config: Config): Promise<Running> {
  const log = createLog(config.logLevel);
  // First: if the port is in use, nothing was changed yet.
  const port = await choosePort(config);
  const url = listenUrl({ host: config.host, port });
  const options = { probe: true, serves: true, log };
  const deps = await openDependencies(config, () => config.baseUrl ?? url, options);
  const closing = new ClosingStack();
  closing.add(() => deps.store.close());
  try {
    const started = startWorkers(config, log);
    closing.add(() => started.stop());
    const firstAdmin = await createFirstAdmin(config, deps);
    const metrics = createMetrics();
    exposeConnectionMetrics(metrics, deps);
    exposeQueueMetrics(metrics, deps);
    new ClockGuard({ ...deps, timer: systemTimer() }, log).exposeMetrics(metrics);
    const clusterMetrics = new ClusterMetrics(metrics);
    const workers = new HttpWorkers({ count: config.httpWorkers, port, log });
    let analyses: Analyses | undefined;
    let stopMetrics: (() => Promise<void>) | undefined;
    closing.add(() => stopMetrics?.());
    // In parallel, as in a single process.
    closing.add(() => Promise.all([workers.stop(), analyses?.stop()]));
    answerWorkerState(() => analyses?.workers());
    await workers.start();
    const watch = new WorkWatch({ ...deps, log });
    closing.add(() => watch.stop());
    analyses = startAnalyses(config, deps, { log, metrics, watch, workers: started });
    stopMetrics = await serveMetrics(clusterMetrics, config, log);
    const refused = Promise.race([untilRefused(deps.store, log), workers.refused]);
    return { url, log, firstAdmin, refused, stop: () => closing.close() };
  } catch (cause) {
    await closing.close();
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
  readonly #refused = Promise.withResolvers<string>();

  constructor(options: HttpWorkersOptions) {
    this.#options = options;
  }

  /** Resolves when the store has refused a worker. */
  get refused(): Promise<string> {
    return this.#refused.promise;
  }

  /** Forks all workers and waits until they listen. */
  async start(): Promise<void> {
    const { count } = this.#options;
    await Promise.all(Array.from({ length: count }, () => untilStarted(this.#fork())));
    cluster.on('exit', (worker) => void this.#replace(worker));
    // Workers that ended before the listener was added.
    for (let missing = count - liveWorkers().length; missing > 0; missing -= 1) this.#refork();
  }

  /** Stops replacing first: a signal from a terminal reaches the workers as well. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(
      liveWorkers().map(async (worker) => {
        const ended = once(worker, 'exit');
        worker.process.kill('SIGTERM');
        await ended;
      }),
    );
  }

  async #replace({ process: { pid, exitCode, signalCode } }: Worker): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    if (exitCode === REFUSED_EXIT) return this.#refused.resolve('the store refused a worker');
    this.#options.log.error({ pid, exitCode, signalCode }, 'a worker ended: replacing it');
    await pause(RESTART_DELAY_MS, signal);
    if (!signal.aborted) this.#refork();
  }

  #refork(): void {
    untilStarted(this.#fork()).catch((err: unknown) =>
      this.#options.log.error({ err }, 'a worker could not start'),
    );
  }

  #fork(): Worker {
    return cluster.fork({ RAPSHEET_PORT: String(this.#options.port) });
  }
}

function liveWorkers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter(
    (worker) => worker !== undefined && !worker.isDead(),
  ) as Worker[];
}

async function untilStarted(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on('message', (message) => {
    if (!isStartMessage(message)) return;
    if (message.started) resolve();
    else reject(new Error(message.reason));
  });
  worker.once('exit', () => reject(new Error('a worker ended before it listened')));
  await promise;
}

function isStartMessage(message: unknown): message is StartMessage {
  return typeof message === 'object' && message !== null && 'started' in message;
}

/**
 * The port that the workers share. A listener without `reusePort` detects another program on the
 * port, which shared listeners do not. A free port is chosen here, because each worker would get
 * another.
 */
async function choosePort({ host, port }: Config): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : port;
}
