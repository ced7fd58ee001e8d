import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../domain/problem.ts';
import type { Log } from '../observability/log.ts';
import {
  type AnalysisDependencies,
  type AnalysisEnd,
  analyseSample,
} from '../operations/samples/analyse-sample.ts';
import type { Job, Queue } from '../ports/queue.ts';

export interface AnalysisRunnerDependencies extends AnalysisDependencies {
  readonly queue: Queue;
  readonly log: Log;
  /** Told after a sample is done or has failed. */
  finished(sha256: string): void;
  readonly observer: AnalysisObserver;
}

/** Told of every try, for whoever watches. */
export interface AnalysisObserver {
  began(): void;
  ended(end: AnalysisEnd, seconds: number): void;
}

/** Whoever does not renew its lease within this is gone. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3000;
/** Jobs of other processes, and those whose time has come, are seen at the latest after this. */
const LOOK_EVERY_MS = 1000;
/** Before the second try, before the third, … */
const BACK_OFF_MS: readonly number[] = [1000, 10_000];
/** Where machine or storage are at fault a job is tried again after this, */
const AFTER_OUTAGE_MS = 10_000;
/** and nothing else is begun for so long, the first time, the second, … */
const PAUSES_MS: readonly number[] = [1000, 2000, 5000, 10_000, 30_000];
/** Before what became of a job is told once more. */
const TELL_AGAIN_MS: readonly number[] = [100, 1000, 5000, 30_000];

/** Claims samples that wait, as many as can be worked on at once, and sees each of them to its end. */
export class AnalysisRunner {
  readonly #deps: AnalysisRunnerDependencies;
  readonly #running = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  #claiming: Promise<void> | undefined;
  #lookAgain = false;
  /** How often in a row machine or storage were at fault. */
  #faults = 0;
  #pausedUntil = 0;

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
      // Woken after the last look and before this, which is when calls of one transaction are answered.
      if (this.#lookAgain && this.#hasRoom) this.wake();
    });
  }

  /** Begins nothing new. What is under way is left to be claimed again, by whoever comes next. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#claiming;
    await this.#deps.analyser.close();
    await Promise.all(this.#running);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  get #hasRoom(): boolean {
    // Not the clock of the service: that one may be set.
    const isPaused = performance.now() < this.#pausedUntil;
    return !this.#isStopping && !isPaused && this.#running.size < this.#deps.analyser.capacity;
  }

  async #claim(): Promise<void> {
    const { queue, analyser, log, now } = this.#deps;
    while (this.#lookAgain && this.#hasRoom) {
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
    const run = this.#run(job).finally(() => {
      this.#running.delete(run);
      this.wake();
    });
    this.#running.add(run);
  }

  async #run(job: Job): Promise<void> {
    const stopRenewing = this.#renew(job);
    const end = await this.#observed(() => this.#analyse(job));
    this.#pace(end);
    await this.#insist(job, () => this.#settle(job, end));
    stopRenewing();
    if (end.kind !== 'again') this.#deps.finished(job.key);
  }

  async #observed(analyse: () => Promise<AnalysisEnd>): Promise<AnalysisEnd> {
    const { observer } = this.#deps;
    const begun = performance.now();
    observer.began();
    const end = await analyse();
    observer.ended(end, (performance.now() - begun) / 1000);
    return end;
  }

  /** Whatever it throws is no fault of the sample, or a defect of ours: both are tried again. */
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

  async #settle(job: Job, end: AnalysisEnd): Promise<void> {
    const { queue } = this.#deps;
    if (end.kind !== 'again') await queue.complete(job);
    else if (this.#isStopping) await queue.release(job);
    else if (end.failure === 'unavailable') await queue.release(job, this.#in(AFTER_OUTAGE_MS));
    else await queue.retry(job, this.#in(backOffAfter(job.attempt)), end.failure);
  }

  /** Jobs would otherwise be claimed and given back, all of them, as fast as the machine can. */
  #pace(end: AnalysisEnd): void {
    const isOutage = end.kind === 'again' && end.failure === 'unavailable';
    this.#faults = isOutage ? this.#faults + 1 : 0;
    this.#pausedUntil = isOutage ? performance.now() + pauseAfter(this.#faults) : 0;
  }

  /** What became of a job is told until it is heard; else the job would be begun again, and that would count. */
  async #insist(job: Job, tell: () => Promise<void>): Promise<void> {
    const { log } = this.#deps;
    const { signal } = this.#stopping;
    for (const waitMs of TELL_AGAIN_MS) {
      try {
        return await tell();
      } catch (err) {
        log.error({ err, sha256: job.key }, 'what became of an analysis could not be noted');
      }
      if (signal.aborted) return;
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Keeps the lease while the analysis runs. Returns what ends that. */
  #renew(job: Job): () => void {
    const { queue, log } = this.#deps;
    const timer = setInterval(() => {
      queue
        .extend(job, this.#in(LEASE_MS))
        .catch((err: unknown) => log.error({ err, sha256: job.key }, 'a lease was not renewed'));
    }, RENEW_EVERY_MS);
    return () => clearInterval(timer);
  }

  #in(ms: number): Date {
    return new Date(this.#deps.now().getTime() + ms);
  }
}

function backOffAfter(attempt: number): number {
  return BACK_OFF_MS[attempt - 1] ?? BACK_OFF_MS.at(-1) ?? 0;
}

function pauseAfter(faults: number): number {
  return PAUSES_MS[faults - 1] ?? PAUSES_MS.at(-1) ?? 0;
}
