import { openPool } from './analysis/pool.ts';
import { loadRuleSources } from './analysis/rule-files.ts';
import type { Config } from './config.ts';
import { AnalysisRunner } from './jobs/run-analysis.ts';
import type { Log } from './observability/log.ts';
import type { Dependencies } from './operations/dependencies.ts';
import type { Analyser, Isolation } from './ports/analyser.ts';
import type { Queue } from './ports/queue.ts';

/** The engine, apart from everything else, with our rules and those of the operator. */
export async function openAnalyser(config: Config, workers: number): Promise<Analyser> {
  const { sources, problems } = loadRuleSources({ local: config.rulesFolder });
  const analyser = await openPool({ workers, rules: sources, path: config.programPath });
  return Object.assign(analyser, { ruleProblems: [...problems, ...analyser.ruleProblems] });
}

export interface Analyses {
  /** Known once the first worker runs; `undefined` where none do. */
  isolation(): Isolation | undefined;
  /** Begins nothing new, and ends the workers. */
  stop(): Promise<void>;
}

/** Analyses samples beside the API, which does not wait until the workers are there. */
export function startAnalyses(
  config: Config,
  deps: Dependencies & { readonly queue: Queue },
  log: Log,
): Analyses {
  let isolation: Isolation | undefined;
  const opening = config.analysisWorkers === 0 ? undefined : openRunner(config, deps, log);
  opening?.then(
    ({ analyser }) => {
      isolation = analyser.isolation;
      tell(analyser, log);
    },
    (err: unknown) => log.error({ err }, 'no samples are analysed: no worker could be started'),
  );
  return {
    isolation: () => isolation,
    stop: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.runner.stop();
    },
  };
}

async function openRunner(
  config: Config,
  deps: Dependencies & { readonly queue: Queue },
  log: Log,
): Promise<{ analyser: Analyser; runner: AnalysisRunner }> {
  const analyser = await openAnalyser(config, config.analysisWorkers);
  const finished = (sha256: string) => deps.news.finished(sha256);
  const runner = new AnalysisRunner({ ...deps, analyser, log, finished });
  deps.news.onSubmitted(() => runner.wake());
  return { analyser, runner };
}

function tell({ isolation, ruleProblems, capacity }: Analyser, log: Log): void {
  log.info({ workers: capacity, isolation: isolation.means }, 'samples are analysed');
  if (isolation.lacks.length > 0)
    log.warn({ lacks: isolation.lacks }, 'the isolation of samples is not all that it could be');
  for (const problem of ruleProblems) log.warn({ problem }, 'a rule was left out');
}

const INDEX_SLICE = 5;
const INDEX_PAUSE_MS = 20;
const INDEX_LOOK_EVERY_MS = 10_000;

/**
 * Puts reports that came in bulk, or before there was an index, into that of similar files: a few at a time, with
 * room for others in between. Returns what ends it.
 */
export function indexInBackground({ store }: Pick<Dependencies, 'store'>, log: Log): () => void {
  let timer: NodeJS.Timeout;
  const next = (ms: number) => {
    timer = setTimeout(() => void work(), ms);
    timer.unref();
  };
  const work = async () => {
    try {
      const looked = await store.samples.indexSimilar(INDEX_SLICE);
      next(looked > 0 ? INDEX_PAUSE_MS : INDEX_LOOK_EVERY_MS);
    } catch (err) {
      log.error({ err }, 'similar files could not be indexed');
      next(INDEX_LOOK_EVERY_MS);
    }
  };
  next(INDEX_PAUSE_MS);
  return () => clearTimeout(timer);
}
