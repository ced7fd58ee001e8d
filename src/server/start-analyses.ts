import { loadRuleSources } from '../analysis/rules/rule-files.ts';
import { openPool } from '../analysis/worker/pool.ts';
import type { Config } from '../config.ts';
import { type AnalysisObserver, AnalysisRunner } from '../jobs/run-analysis.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import { pause } from '../platform/pause.ts';
import type { Analyser, Isolation } from '../ports/analyser.ts';
import type { Queue } from '../ports/queue.ts';

/** The engine, apart from everything else, with our rules and those of the operator. */
export async function openAnalyser(
  config: Config,
  workers: number,
  signal?: AbortSignal,
): Promise<Analyser> {
  const { sources, problems } = loadRuleSources({ local: config.rulesFolder });
  const analyser = await openPool({ workers, rules: sources, path: config.programPath, signal });
  return Object.assign(analyser, { ruleProblems: [...problems, ...analyser.ruleProblems] });
}

export interface Analyses {
  /** Known once the first worker runs; `undefined` where none do. */
  isolation(): Isolation | undefined;
  /** Begins nothing new, and ends the workers. */
  stop(): Promise<void>;
}

interface Watching {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'analyses'>;
}

/** Analyses samples beside the API, which does not wait until the workers are there. */
export function startAnalyses(
  config: Config,
  deps: Dependencies & { readonly queue: Queue },
  { log, metrics: { analyses } }: Watching,
): Analyses {
  let isolation: Isolation | undefined;
  const stopping = new AbortController();
  const run = async (): Promise<AnalysisRunner | undefined> => {
    const { signal } = stopping;
    const open = () => openAnalyser(config, config.analysisWorkers, signal);
    const analyser = await openAgain(open, { signal, log });
    if (analyser === undefined) return undefined;
    isolation = analyser.isolation;
    tell(analyser, log);
    analyses.workers.set(analyser.capacity);
    const finished = (sha256: string) => deps.news.finished(sha256);
    const observer = counting(analyses);
    const runner = new AnalysisRunner({ ...deps, analyser, log, finished, observer });
    deps.news.onSubmitted(() => runner.wake());
    return runner;
  };
  const running = config.analysisWorkers === 0 ? undefined : run();
  return {
    isolation: () => isolation,
    stop: async () => {
      stopping.abort();
      await (await running)?.stop();
    },
  };
}

export function counting(analyses: Metrics['analyses']): AnalysisObserver {
  const { running, ended, failures, seconds } = analyses;
  return {
    began: () => running.inc(),
    ended(end, took) {
      running.dec();
      ended[end.kind].inc();
      if ('failure' in end) failures[end.failure].inc();
      // Of a sample that was removed meanwhile nothing was analysed.
      if (end.kind !== 'gone') seconds.observe(took);
    },
  };
}

interface Opening {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly waitsMs?: readonly number[];
}

/** What keeps workers from starting, a full machine or a folder of rules that is not there, may pass. */
const OPEN_AGAIN_MS: readonly number[] = [1000, 5000, 15_000, 60_000];

/** Tries until it succeeds; `undefined` where it is not wanted any more before that. */
export async function openAgain<Opened>(
  open: () => Promise<Opened>,
  { signal, log, waitsMs = OPEN_AGAIN_MS }: Opening,
): Promise<Opened | undefined> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    try {
      return await open();
    } catch (err) {
      if (signal.aborted) break;
      log.error({ err }, 'no samples are analysed: no worker could be started');
    }
    await pause(waitsMs[turn] ?? waitsMs.at(-1) ?? 0, signal);
  }
  return undefined;
}

function tell({ isolation, ruleProblems, capacity }: Analyser, log: Log): void {
  log.info({ workers: capacity, isolation: isolation.means }, 'samples are analysed');
  if (isolation.lacks.length > 0)
    log.warn({ lacks: isolation.lacks }, 'the isolation of samples is not all that it could be');
  for (const problem of ruleProblems) log.warn({ problem }, 'a rule was left out');
}
