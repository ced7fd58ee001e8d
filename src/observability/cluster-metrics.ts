import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Metrics } from './metrics.ts';
import type { MetricsSource } from './metrics-server.ts';

type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

interface MetricsRequest {
  readonly metricsRequest: number;
}

interface MetricsResponse {
  /** The number of the request. */
  readonly metricsResponse: number;
  readonly values: MetricValues;
}

/** The values of a process that is busy for longer are those of the last scrape. */
const RESPONSE_TIMEOUT_MS = 1000;

/** Sends the metrics of this process to the primary process when it asks for them. */
export function answerMetricsRequests({ registry }: Metrics): void {
  process.on('message', (message) => {
    if (!isRequest(message)) return;
    void registry.getMetricsAsJSON().then((values) => {
      const response: MetricsResponse = { metricsResponse: message.metricsRequest, values };
      if (process.connected) process.send?.(response);
    });
  });
}

/**
 * Aggregates the metrics of all processes at each scrape. The counters of a process that ended are
 * kept: Prometheus treats a counter that decreases as a reset, and would count the others twice.
 */
export class ClusterMetrics implements MetricsSource {
  readonly contentType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE;
  readonly #own: Metrics;
  /** The last values of each process, by worker id. */
  readonly #last = new Map<number, MetricValues>();
  /** The sum of the counters of processes that ended. */
  #ended: MetricValues = [];
  #requests = 0;

  constructor(own: Metrics) {
    this.#own = own;
    cluster.on('exit', ({ id }) => void this.#keepCounts(id));
  }

  async metrics(): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => this.#request(worker)));
    const own = await this.#own.registry.getMetricsAsJSON();
    return await aggregate([own, this.#ended, ...this.#last.values()]).metrics();
  }

  async #request(worker: Worker): Promise<void> {
    if (!worker.isConnected()) return;
    this.#requests += 1;
    const request: MetricsRequest = { metricsRequest: this.#requests };
    const { promise, resolve } = Promise.withResolvers<void>();
    const listen = (message: unknown) => {
      if (!isResponse(message) || message.metricsResponse !== request.metricsRequest) return;
      this.#last.set(worker.id, message.values);
      resolve();
    };
    worker.on('message', listen);
    // Sending to a worker that has just ended fails; the exit event handles that.
    worker.send(request, () => undefined);
    await Promise.race([promise, sleep(RESPONSE_TIMEOUT_MS, undefined, { ref: false })]);
    worker.off('message', listen);
  }

  async #keepCounts(id: number): Promise<void> {
    const counts = (this.#last.get(id) ?? []).filter(({ type }) => isCumulative(String(type)));
    this.#last.delete(id);
    this.#ended = await aggregate([this.#ended, counts]).getMetricsAsJSON();
  }
}

function aggregate(all: readonly MetricValues[]) {
  // The type wants a mutable array, but the function does not change it.
  return AggregatorRegistry.aggregate(all as MetricValues[]);
}

function isCumulative(type: string): boolean {
  return type === 'counter' || type === 'histogram';
}

function isRequest(message: unknown): message is MetricsRequest {
  return typeof message === 'object' && message !== null && 'metricsRequest' in message;
}

function isResponse(message: unknown): message is MetricsResponse {
  return typeof message === 'object' && message !== null && 'metricsResponse' in message;
}
