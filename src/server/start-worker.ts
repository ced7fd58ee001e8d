import type { Config } from '../config.ts';
import { WorkWatch } from '../jobs/work-watch.ts';
import { createLog, type Log } from '../observability/log.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import { serveMetrics } from '../observability/metrics-server.ts';
import { ClockGuard } from './clock-guard.ts';
import { ClosingStack } from './closing-stack.ts';
import { startTask } from './housekeeping-task.ts';
import { type OpenDependencies, openDependencies } from './open-dependencies.ts';
import { untilRefused } from './refusal.ts';
import { startAnalyses } from './start-analyses.ts';
import { exposeConnectionMetrics, exposeQueueMetrics } from './store-metrics.ts';
import { systemTimer } from './system-timer.ts';

const CLOCK_CHECK_MS = 10_000;

export interface RunningWorker {
  readonly log: Log;
  /** Resolves with the reason when the store no longer admits this process. */
  readonly refused: Promise<string>;
  /** Releases its jobs, then closes everything. */
  stop(): Promise<void>;
}

/** Starts a process that analyses samples and serves no HTTP requests. */
export async function startWorker(config: Config): Promise<RunningWorker> {
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const deps = await openDependencies(config, undefined, { probe: true, log });
  const closing = new ClosingStack();
  closing.add(() => deps.store.close());
  const refused = untilRefused(deps.store, log);
  exposeConnectionMetrics(metrics, deps);
  exposeQueueMetrics(metrics, deps);
  const watch = new WorkWatch({ ...deps, log });
  const stopClockCheck = startClockCheck(deps, { log, metrics, watch });
  const analyses = startAnalyses(config, deps, { log, metrics, watch });
  closing.add(() => analyses.stop());
  closing.add(await serveMetrics(metrics.registry, config, log));
  closing.add(stopClockCheck);
  closing.add(() => watch.stop());
  return { log, refused, stop: () => closing.close() };
}

/** A worker does no housekeeping, but its log and its metrics show a wrong clock. */
function startClockCheck(
  deps: OpenDependencies,
  {
    log,
    metrics,
    watch,
  }: { readonly log: Log; readonly metrics: Metrics; readonly watch: WorkWatch },
): () => void {
  const clockGuard = new ClockGuard({ ...deps, timer: systemTimer() }, log);
  clockGuard.exposeMetrics(metrics);
  const task = {
    name: 'checking the clock',
    runSlice: async () => 0,
    trigger: { everyMs: CLOCK_CHECK_MS },
  };
  return startTask(task, { log, trustedTime: () => clockGuard.trustedTime(), watch });
}
