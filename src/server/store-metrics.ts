import type { Metrics } from '../observability/metrics.ts';
import { JOB_KINDS } from '../ports/queue.ts';
import type { OpenDependencies } from './open-dependencies.ts';

/** So that a scrape takes no longer where a million samples wait: beyond that, nobody needs to know how many. */
const MOST_COUNTED = 10_000;

/** Lets the metrics tell what waits in the queue, for all who share the store: one process of a node is enough. */
export function watchQueue(
  { sources }: Pick<Metrics, 'sources'>,
  { queue, now }: Pick<OpenDependencies, 'queue' | 'now'>,
): void {
  sources.queue = () =>
    Promise.all(
      JOB_KINDS.map(async (kind) => {
        const { waiting, oldestMs = 0 } = await queue.backlog(kind, {
          most: MOST_COUNTED,
          now: now(),
        });
        return { kind, waiting, oldestSeconds: oldestMs / 1000 };
      }),
    );
}

/** Lets them tell how many connections this process has, where there are any. */
export function watchConnections(
  { sources }: Pick<Metrics, 'sources'>,
  { connections }: Pick<OpenDependencies, 'connections'>,
): void {
  if (connections !== undefined) sources.connections = connections;
}
