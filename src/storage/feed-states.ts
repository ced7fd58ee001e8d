import type { FeedStore } from '../ports/feed-store.ts';
import { feedStates, type NumberedFeed, versionOfFeeds } from './sql/feeds/feed-states.ts';
import type { Runner, UnitOfWork } from './unit-of-work.ts';

interface KnownStates {
  readonly version: string;
  readonly states: readonly NumberedFeed[];
}

/** Keeps the states of all feeds: reading those of a thousand takes several milliseconds. */
export function createFeedStates(runner: Runner): FeedStore['states'] {
  let known: KnownStates | undefined;
  return async (scope) => {
    if (scope !== undefined) return await runner.read(() => feedStates(scope));
    const version = await runner.read(versionOfFeeds);
    if (known?.version !== version) known = await runner.read(readStates);
    return known.states;
  };
}

/** The version first: feeds that change in between are read again. */
function* readStates(): UnitOfWork<KnownStates> {
  const version = yield* versionOfFeeds();
  return { version, states: yield* feedStates(undefined) };
}
