import { query } from '../../units/query.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The number of newest reports scanned for their hosts before the index of hosts is read. */
const NEWEST_SCANNED = 2000;

const selectNewest = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(['number', 'host'])
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

export interface NewestWithHost {
  readonly numbers: readonly number[];
  /** Whether no other report of such a host can be among the newest. */
  readonly complete: boolean;
}

/** The reports with such hosts among the newest of all: enough if there are very many hosts. */
export function* newestWithHost(
  isWanted: (host: string) => boolean,
  limit: number,
): UnitOfWork<NewestWithHost> {
  const newest = yield* rows(selectNewest, { limit: NEWEST_SCANNED });
  const wanted = newest.filter(({ host }) => isWanted(host)).map(({ number }) => number);
  return {
    numbers: wanted.slice(0, limit),
    complete: wanted.length >= limit || newest.length < NEWEST_SCANNED,
  };
}
