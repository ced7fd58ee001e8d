import type { FollowedChange } from '../../../../src/client/follow.ts';
import { listenLive } from '../../api/live/live.ts';

/** A busy feed must not draw the page for each of its changes. */
const COALESCE_MS = 300;

interface Options {
  /** Only changes of this feed; by default those of all feeds. */
  readonly service?: string;
  /** Oldest first. */
  readonly onChanges: (changes: readonly FollowedChange[]) => void;
  /** Changes may have been missed. */
  readonly onReset?: () => void;
}

/** Tells the changes of feeds in batches until the returned function is called. */
export function listenBatched({ service, onChanges, onReset }: Options): () => void {
  let changes: FollowedChange[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    const batch = changes;
    changes = [];
    timer = undefined;
    onChanges(batch);
  };
  const stop = listenLive((event) => {
    if (event.kind === 'reset') onReset?.();
    else if (service === undefined || event.change.service === service) {
      changes.push(event.change);
      timer ??= setTimeout(tell, COALESCE_MS);
    }
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
