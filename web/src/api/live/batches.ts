import { useEffect, useEffectEvent } from 'react';
import type { FollowedChange } from '../../../../src/client/follow.ts';
import { listenLive } from './live.ts';
import type { LiveEvent } from './messages.ts';

/** How long lists collect changes: a busy feed must not draw the page for each of them. */
export const LIST_BATCH_MS = 300;

type OnEvents = (events: readonly LiveEvent[]) => void;

/**
 * Collects the events of all feeds, and calls `onEvents` with them, oldest first, at most once in
 * `waitMs`, until the returned function is called.
 */
export function listenBatched(waitMs: number, onEvents: OnEvents): () => void {
  let events: LiveEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    const batch = events;
    events = [];
    timer = undefined;
    onEvents(batch);
  };
  const stop = listenLive((event) => {
    events.push(event);
    timer ??= setTimeout(flush, waitMs);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** As `listenBatched`, while the component is shown. */
export function useLiveBatches(waitMs: number, onEvents: OnEvents): void {
  const run = useEffectEvent(onEvents);
  useEffect(() => listenBatched(waitMs, (events) => run(events)), [waitMs]);
}

/** Whether changes may have been missed, so that what is shown must be read again. */
export function hasReset(events: readonly LiveEvent[]): boolean {
  return events.some(({ kind }) => kind === 'reset');
}

/** The changes of a feed, or of all feeds. */
export function changesIn(
  events: readonly LiveEvent[],
  service?: string,
): readonly FollowedChange[] {
  return events
    .flatMap((event) => (event.kind === 'change' ? event.change : []))
    .filter((change) => service === undefined || change.service === service);
}
