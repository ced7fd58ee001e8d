import type { Log } from '../observability/log.ts';
import { type AnalysisDependencies, analyseSample } from '../operations/analyse-sample.ts';
import type { Job, Queue } from '../ports/queue.ts';

export interface AnalysisRunnerDependencies extends AnalysisDependencies {
  readonly queue: Queue;
  readonly log: Log;
  /** Told after a sample is done or has failed. */
  finished(sha256: string): void;
}

/** Whoever does not renew its lease within this is gone. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3000;
/** Jobs of other processes, and those whose time has come, are seen at the latest after this. */
const LOOK_EVERY_MS = 1000;
/** Before the second try, before the third, … */
const BACK_OFF_MS: readonly number[] = [1000, 10_000];

/** Claims samples that wait, as many as can be worked on at once, and sees each of them to its end. */
export class AnalysisRunner {
  readonly #deps: AnalysisRunnerDependencies;
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #claiming: Promise<void> | undefined;
  #lookAgain = false;
  #isStopping = false;

  constructor(deps: AnalysisRunnerDependencies) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.wake(), LOOK_EVERY_MS);
    this.#timer.unref();
    this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    this.#lookAgain = true;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
    });
  }

  /** Begins nothing new. What is under way is left to be claimed again, by whoever comes next. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#claiming;
    await this.#deps.analyser.close();
    await Promise.all(this.#running);
  }

  async #claim(): Promise<void> {
    const { queue, analyser, log, now } = this.#deps;
    while (this.#lookAgain && !this.#isStopping && this.#running.size < analyser.capacity) {
      this.#lookAgain = false;
      try {
        const limit = analyser.capacity - this.#running.size;
        const jobs = await queue.claim('analyse', { limit, leaseMs: LEASE_MS, now: now() });
        for (const job of jobs) this.#begin(job);
      } catch (err) {
        log.error({ err }, 'no analysis could be claimed');
      }
    }
  }

  #begin(job: Job): void {
    const run = this.#run(job)
      .catch((err: unknown) => this.#deps.log.error({ err, sha256: job.key }, 'analysis failed'))
      .finally(() => {
        this.#running.delete(run);
        this.wake();
      });
    this.#running.add(run);
  }

  async #run(job: Job): Promise<void> {
    const { queue, log, now } = this.#deps;
    const stopRenewing = this.#renew(job);
    const end = await analyseSample(this.#deps, job.key, job.attempt).finally(stopRenewing);
    if (end.kind === 'again' || end.kind === 'failed') {
      const { failure, message } = end;
      log.warn({ sha256: job.key, attempt: job.attempt, failure, message }, 'analysis failed');
    }
    if (end.kind !== 'again') {
      await queue.complete(job);
      this.#deps.finished(job.key);
    } else if (this.#isStopping) {
      await queue.release(job);
    } else {
      const wait = BACK_OFF_MS[job.attempt - 1] ?? BACK_OFF_MS.at(-1) ?? 0;
      await queue.retry(job, new Date(now().getTime() + wait), end.failure);
    }
  }

  /** Keeps the lease while the analysis runs. Returns what ends that. */
  #renew(job: Job): () => void {
    const { queue, log, now } = this.#deps;
    const timer = setInterval(() => {
      queue
        .extend(job, new Date(now().getTime() + LEASE_MS))
        .catch((err: unknown) => log.error({ err, sha256: job.key }, 'a lease was not renewed'));
    }, RENEW_EVERY_MS);
    return () => clearInterval(timer);
  }
}
