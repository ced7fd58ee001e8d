import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Metrics } from './metrics.ts';
import type { MetricsSource } from './metrics-server.ts';

type Numbers = readonly MetricObjectWithValues<MetricValue<string>>[];

interface Question {
  readonly metricsAsked: number;
}

interface Answer {
  readonly metricsAnswered: number;
  readonly numbers: Numbers;
}

/** One that is busy for longer is shown as it was the last time. */
const ANSWER_MS = 1000;

/** The numbers of this process, one of several, for the one that shows those of all. */
export function shareMetrics({ registry }: Metrics): void {
  process.on('message', (message) => {
    if (!isQuestion(message)) return;
    void registry.getMetricsAsJSON().then((numbers) => {
      const answer: Answer = { metricsAnswered: message.metricsAsked, numbers };
      if (process.connected) process.send?.(answer);
    });
  });
}

/**
 * The numbers of all processes together, asked for when they are wanted. What only ever grows does not fall when a process
 * ends: that would be taken for a restart, and all that is left for new.
 */
export class SharedMetrics implements MetricsSource {
  readonly contentType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE;
  readonly #own: Metrics;
  readonly #last = new Map<number, Numbers>();
  #ended: Numbers = [];
  #asked = 0;

  constructor(own: Metrics) {
    this.#own = own;
    cluster.on('exit', ({ id }) => void this.#keepCounts(id));
  }

  async metrics(): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => this.#ask(worker)));
    const own = await this.#own.registry.getMetricsAsJSON();
    return await together([own, this.#ended, ...this.#last.values()]).metrics();
  }

  async #ask(worker: Worker): Promise<void> {
    if (!worker.isConnected()) return;
    this.#asked += 1;
    const question: Question = { metricsAsked: this.#asked };
    const { promise, resolve } = Promise.withResolvers<void>();
    const listen = (message: unknown) => {
      if (!isAnswer(message) || message.metricsAnswered !== question.metricsAsked) return;
      this.#last.set(worker.id, message.numbers);
      resolve();
    };
    worker.on('message', listen);
    // One that has just ended cannot be told anything; that it has is heard elsewhere.
    worker.send(question, () => undefined);
    await Promise.race([promise, pause(ANSWER_MS, undefined, { ref: false })]);
    worker.off('message', listen);
  }

  async #keepCounts(id: number): Promise<void> {
    const counts = (this.#last.get(id) ?? []).filter(({ type }) => isCount(String(type)));
    this.#last.delete(id);
    this.#ended = await together([this.#ended, counts]).getMetricsAsJSON();
  }
}

function together(all: readonly Numbers[]) {
  // Its types ask for arrays that may be changed; it changes none.
  return AggregatorRegistry.aggregate(all as Numbers[]);
}

function isCount(type: string): boolean {
  return type === 'counter' || type === 'histogram';
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'metricsAsked' in message;
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'metricsAnswered' in message;
}
