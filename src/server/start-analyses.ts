import type { Config } from '../config.ts';
import { type AnalysisObserver, AnalysisRunner } from '../jobs/run-analysis.ts';
import type { WorkWatch } from '../jobs/work-watch.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import { pause } from '../platform/pause.ts';
import type { Analyser, WorkerState } from '../ports/analyser.ts';
import type { Queue } from '../ports/queue.ts';
import { openAnalyser } from './open-analyser.ts';

export interface Analyses {
  /** `undefined` until the first worker runs. */
  workers(): WorkerState | undefined;
  /** Leases no more jobs and ends the worker processes. */
  stop(): Promise<void>;
}

interface AnalysesOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'analyses'>;
  readonly watch: Pick<WorkWatch, 'on'>;
  /** The workers, if they were started before. */
  readonly workers?: StartedWorkers;
}

/** Worker processes that start in the background. */
export interface StartedWorkers {
  /** `undefined` if there are to be none, or if they were stopped before. */
  readonly opening: Promise<Analyser | undefined>;
  /** Cancels the start of those that do not run yet. */
  cancel(): void;
  stop(): Promise<void>;
}

/**
 * Starts the worker processes before anything can use them: they are ready soon after the API is,
 * and the first upload does not wait for them.
 */
export function startWorkers(
  config: Config,
  log: Log,
  open: typeof openAnalyser = openAnalyser,
): StartedWorkers {
  const stopping = new AbortController();
  const { signal } = stopping;
  const opening =
    config.analysisWorkers === 0
      ? Promise.resolve(undefined)
      : openWithRetry(() => open(config, { workers: config.analysisWorkers, signal }), {
          signal,
          log,
        });
  const cancel = () => stopping.abort();
  return {
    opening,
    cancel,
    stop: async () => {
      cancel();
      await (await opening)?.close();
    },
  };
}

/** Analyses samples in the background. The API does not wait until the workers run. */
export function startAnalyses(
  config: Config,
  deps: Dependencies & { readonly queue: Queue },
  { log, metrics: { analyses }, watch, workers = startWorkers(config, log) }: AnalysesOptions,
): Analyses {
  let analyser: Analyser | undefined;
  let isStopping = false;
  const run = async (): Promise<AnalysisRunner | undefined> => {
    analyser = await workers.opening;
    if (analyser === undefined || isStopping) return undefined;
    logStart(analyser, log);
    analyses.workers.set(analyser.capacity);
    const finished = (sha256: string) => deps.analysisEvents.finished(sha256);
    const observer = countAnalyses(analyses);
    const runner = new AnalysisRunner({ ...deps, analyser, log, finished, observer });
    deps.analysisEvents.onSubmitted(() => runner.wake());
    deps.store.samples.onQueued(() => runner.wake());
    watch.on('uploads', () => runner.wake());
    return runner;
  };
  const running = run();
  return {
    workers: () => analyser && stateOf(analyser),
    stop: async () => {
      isStopping = true;
      workers.cancel();
      // First the runner: it releases the jobs of the workers.
      await (await running)?.stop();
      await workers.stop();
    },
  };
}

function stateOf(analyser: Analyser): WorkerState {
  const { capacity, isolation, ruleProblems } = analyser;
  return { capacity, isolation, ruleProblems, ...analyser.counts() };
}

export function countAnalyses(analyses: Metrics['analyses']): AnalysisObserver {
  const { running, ended, failures, seconds } = analyses;
  return {
    began: () => running.inc(),
    ended(end, durationSeconds) {
      running.dec();
      ended[end.kind].inc();
      if ('failure' in end) failures[end.failure].inc();
      // The sample was removed meanwhile: there was no analysis.
      if (end.kind !== 'gone') seconds.observe(durationSeconds);
    },
  };
}

interface RetryOptions {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly delaysMs?: readonly number[];
}

/** A cause such as low memory or a missing folder of rules may pass. */
const RETRY_DELAYS_MS: readonly number[] = [1000, 5000, 15_000, 60_000];

/** Retries until it succeeds. Returns `undefined` if the signal aborts before. */
export async function openWithRetry<Opened>(
  open: () => Promise<Opened>,
  { signal, log, delaysMs = RETRY_DELAYS_MS }: RetryOptions,
): Promise<Opened | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await open();
    } catch (err) {
      if (signal.aborted) break;
      log.error({ err }, 'samples are not analysed: starting a worker failed');
    }
    await pause(delaysMs[attempt] ?? delaysMs.at(-1) ?? 0, signal);
  }
  return undefined;
}

function logStart({ isolation, ruleProblems, capacity }: Analyser, log: Log): void {
  const { tier, means, lacks } = isolation;
  log.info({ workers: capacity, tier, isolation: means }, 'samples are analysed');
  if (lacks.length > 0) log.warn({ lacks }, 'the isolation of samples is incomplete');
  for (const problem of ruleProblems) log.warn({ problem }, 'a rule was skipped');
}
