import type { Metrics } from '../observability/metrics.ts';
import { JOB_KINDS } from '../ports/queue.ts';
import type { OpenDependencies } from './open-dependencies.ts';

/**
 * Lets the metrics read the queue. All nodes share it, so one process of a node is enough. The age
 * is that of the oldest upload whose analysis has not ended: the statistics of the queue have no
 * ages.
 */
export function exposeQueueMetrics(
  { sources }: Pick<Metrics, 'sources'>,
  { queue, store, now }: Pick<OpenDependencies, 'queue' | 'store' | 'now'>,
): void {
  sources.queue = () =>
    Promise.all(
      JOB_KINDS.map(async (kind) => {
        const waiting = await queue.countPending(kind);
        if (waiting === 0) return { kind, waiting, oldestSeconds: 0 };
        const { oldestUploadedAt = now() } = await store.samples.unfinished();
        const ageMs = now().getTime() - oldestUploadedAt.getTime();
        // The age would be negative after the clock was set back.
        return { kind, waiting, oldestSeconds: Math.max(0, ageMs / 1000) };
      }),
    );
}

/** Lets the metrics read the connection pools of this process. SQLite has none. */
export function exposeConnectionMetrics(
  { sources }: Pick<Metrics, 'sources'>,
  { connections }: Pick<OpenDependencies, 'connections'>,
): void {
  if (connections !== undefined) sources.connections = connections;
}
