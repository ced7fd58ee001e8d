import { query } from './query.ts';
import { rows, type UnitOfWork } from './unit-of-work.ts';

/**
 * A unit that changes what an account may do takes the exclusive lock, a unit that relies on it the
 * shared one. To avoid deadlocks, accounts are locked before files and feeds.
 */
export function* lockAccounts(ids: readonly string[], { isShared = false } = {}): UnitOfWork<void> {
  if (ids.length > 0) yield { kind: 'lock', on: 'account', keys: ids, isShared };
}

/** To avoid deadlocks, files are locked before feeds. */
export function* lockFiles(hashes: readonly string[], { isShared = false } = {}): UnitOfWork<void> {
  if (hashes.length > 0) yield { kind: 'lock', on: 'file', keys: hashes, isShared };
}

/**
 * A unit that changes which service answers for a host takes the exclusive lock, a unit that stores
 * routes the shared one. To avoid deadlocks, it is taken after files and before feeds.
 */
export function* lockRoutes({ isShared = false } = {}): UnitOfWork<void> {
  yield { kind: 'lock', on: 'routes', keys: ['routes'], isShared };
}

/** Background work on the whole store runs on one node at a time. */
export function* lockTask(name: string): UnitOfWork<void> {
  yield { kind: 'lock', on: 'task', keys: [name], isShared: false };
}

const selectLocked = query<{ slug: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('service')
    .select('id')
    .where('slug', '=', parameter.slug)
    .$if(dialect === 'postgres', (service) => service.forNoKeyUpdate()),
);

/**
 * No other transaction changes these feeds until the commit. Locked in the order of their slugs.
 */
export function* lockFeeds(services: Iterable<string>): UnitOfWork<void> {
  for (const slug of [...new Set(services)].sort()) yield* rows(selectLocked, { slug });
}
