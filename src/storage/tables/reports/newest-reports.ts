import { query } from '../../units/query.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The number of newest reports scanned for subdomains before the index of hosts is read. */
const NEWEST_SCANNED = 2000;

const selectNewest = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(['number', 'host'])
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

export interface NewestBelow {
  readonly numbers: readonly number[];
  /** Whether no other report of a subdomain can be among the newest. */
  readonly complete: boolean;
}

/**
 * The reports of subdomains among the newest of all: enough for a name with very many subdomains.
 */
export function* newestBelow(name: string, limit: number): UnitOfWork<NewestBelow> {
  const newest = yield* rows(selectNewest, { limit: NEWEST_SCANNED });
  const end = `.${name}`;
  const below = newest.filter(({ host }) => host.endsWith(end)).map(({ number }) => number);
  return {
    numbers: below.slice(0, limit),
    complete: below.length >= limit || newest.length < NEWEST_SCANNED,
  };
}
