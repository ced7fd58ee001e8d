import type { FeedStore } from '../../ports/feed-store.ts';
import { feedStates, versionOfFeeds } from '../tables/services/feed-states.ts';
import type { Runner } from '../units/runner.ts';
import { versionedRead } from './versioned-read.ts';

/**
 * Keeps the states of all feeds. A conditional request for an export of all of 1,000 feeds takes
 * 0.2 ms of processor time with it and 5.2 ms without.
 */
export function createFeedStates(runner: Runner): FeedStore['states'] {
  const ofAll = versionedRead(runner, versionOfFeeds, () => feedStates(undefined));
  return async (scope) =>
    scope === undefined ? await ofAll() : await runner.read(() => feedStates(scope));
}
