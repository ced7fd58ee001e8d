import type { FeedScope } from '../src/ports/feed-store.ts';
import type { Store } from '../src/ports/store.ts';
import { until } from './until.ts';

/** More than the changes of any test take. The clocks of tests on SQLite are further away. */
const MAX_AHEAD_MS = 10_000;

/** The changes of one call may be ahead of the clock of PostgreSQL, and are published later. */
export async function untilPublished(store: Store, scope: FeedScope): Promise<void> {
  const newest = (await store.published.newest(scope))?.getTime() ?? 0;
  const isAhead = () => newest >= Date.now() && newest < Date.now() + MAX_AHEAD_MS;
  await until(() => !isAhead(), 'the time of the last change has come');
}
