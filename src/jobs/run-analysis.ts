import { Problem } from '../domain/problem.ts';
import type { Log } from '../observability/log.ts';
import {
  type AnalysisDependencies,
  type AnalysisEnd,
  analyseSample,
} from '../operations/samples/analyse-sample.ts';
import { pause } from '../platform/pause.ts';
import { type Job, QUEUE_POLICIES, type Queue } from '../ports/queue.ts';
import { LeaseLoop } from './lease-loop.ts';

export interface AnalysisRunnerDependencies extends AnalysisDependencies {
  readonly queue: Queue;
  readonly log: Log;
  /** Called after a sample is done or has failed. */
  finished(sha256: string): void;
  readonly observer: AnalysisObserver;
}

/** Called for every attempt, for the metrics. */
export interface AnalysisObserver {
  began(): void;
  ended(end: AnalysisEnd, seconds: number): void;
}

/** Two heartbeats may fail: the third is sent with a tenth of the time left. */
const HEARTBEAT_INTERVAL_MS = QUEUE_POLICIES.analyse.heartbeatSeconds * 300;
/** The delay of a job that was interrupted by an outage of the machine or the storage. */
const OUTAGE_DELAY_SECONDS = 10;
/** How long nothing is leased after the first outage in a row, the second, … */
const OUTAGE_PAUSES_MS: readonly number[] = [1000, 2000, 5000, 10_000, 30_000];
/** The delays before the result of a job is sent to the queue again. */
const SETTLE_RETRY_DELAYS_MS: readonly number[] = [100, 1000, 5000, 30_000];

/** Leases pending samples and analyses them, as many at once as the analyser can. */
export class AnalysisRunner {
  readonly #deps: AnalysisRunnerDependencies;
  readonly #loop: LeaseLoop<Job>;
  readonly #stopping = new AbortController();
  /** The number of outages in a row. */
  #outages = 0;
  #pausedUntil = 0;

  constructor(deps: AnalysisRunnerDependencies) {
    this.#deps = deps;
    this.#loop = new LeaseLoop({
      capacity: deps.analyser.capacity,
      lease: (limit) => deps.queue.lease('analyse', limit),
      run: (job) => this.#run(job),
      // The monotonic clock: the clock of the service can be set.
      isPaused: () => performance.now() < this.#pausedUntil,
      onLeaseError: (err) => deps.log.error({ err }, 'no analysis could be leased'),
    });
    this.wake();
  }

  /** A sample may be pending. */
  wake(): void {
    this.#loop.wake();
  }

  /** Starts nothing new. Running analyses are interrupted, and their jobs released. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await this.#deps.analyser.close();
    await this.#loop.idle();
  }

  async #run(job: Job): Promise<void> {
    const stopHeartbeats = this.#sendHeartbeats(job);
    const end = await this.#observe(() => this.#analyse(job));
    this.#pauseAfter(end);
    await this.#settleWithRetries(job, end);
    stopHeartbeats();
    if (end.kind !== 'again') this.#deps.finished(job.key);
  }

  async #observe(analyse: () => Promise<AnalysisEnd>): Promise<AnalysisEnd> {
    const { observer } = this.#deps;
    const startedAt = performance.now();
    observer.began();
    const end = await analyse();
    observer.ended(end, (performance.now() - startedAt) / 1000);
    return end;
  }

  /** An exception is an outage or a defect of this service, not of the sample: it is retried. */
  async #analyse(job: Job): Promise<AnalysisEnd> {
    const { log } = this.#deps;
    const { key: sha256, attempt } = job;
    try {
      const end = await analyseSample(this.#deps, sha256, attempt);
      if (end.kind === 'again' || end.kind === 'failed') {
        const { failure, message } = end;
        const level = failure === 'interrupted' ? 'info' : 'warn';
        log[level]({ sha256, attempt, failure, message }, 'analysis failed');
      }
      return end;
    } catch (err) {
      log.error({ err, sha256, attempt }, 'analysis failed');
      const isOutage = err instanceof Problem && err.kind === 'unavailable';
      return { kind: 'again', failure: isOutage ? 'unavailable' : 'crashed', message: '' };
    }
  }

  /** Without the pause, all jobs would be leased and released in a busy loop. */
  #pauseAfter(end: AnalysisEnd): void {
    this.#outages = isOutage(end) ? this.#outages + 1 : 0;
    this.#pausedUntil = isOutage(end) ? performance.now() + pauseMs(this.#outages) : 0;
  }

  /** Retries until the queue accepts the result: otherwise the job would run once more. */
  async #settleWithRetries(job: Job, end: AnalysisEnd): Promise<void> {
    const { signal } = this.#stopping;
    for (const delayMs of SETTLE_RETRY_DELAYS_MS) {
      try {
        return await this.#settle(job, end);
      } catch (err) {
        const { log } = this.#deps;
        log.error({ err, sha256: job.key }, 'the end of an analysis could not be recorded');
      }
      if (signal.aborted) return;
      await pause(delayMs, signal, { ref: true });
    }
  }

  async #settle(job: Job, end: AnalysisEnd): Promise<void> {
    const { queue } = this.#deps;
    if (end.kind !== 'again') await queue.complete(job);
    else if (this.#stopping.signal.aborted) await queue.release(job);
    else if (isOutage(end)) await queue.release(job, { delaySeconds: OUTAGE_DELAY_SECONDS });
    else await queue.retry(job, end.failure);
  }

  /** Returns the function that stops the heartbeats. */
  #sendHeartbeats(job: Job): () => void {
    const { queue, log } = this.#deps;
    const timer = setInterval(() => {
      queue
        .heartbeat(job)
        .catch((err: unknown) => log.error({ err, sha256: job.key }, 'a heartbeat was not sent'));
    }, HEARTBEAT_INTERVAL_MS);
    return () => clearInterval(timer);
  }
}

function isOutage(end: AnalysisEnd): boolean {
  return end.kind === 'again' && end.failure === 'unavailable';
}

function pauseMs(outages: number): number {
  return OUTAGE_PAUSES_MS[outages - 1] ?? OUTAGE_PAUSES_MS.at(-1) ?? 0;
}
