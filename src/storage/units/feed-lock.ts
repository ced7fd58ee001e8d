import { query, rows, type UnitOfWork } from './unit-of-work.ts';

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
