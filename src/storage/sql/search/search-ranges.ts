import { sql } from 'kysely';
import { SEARCH_MATCHES, type SearchMatch } from '../../../domain/search-query.ts';
import { type Query, query, rows, type UnitOfWork } from '../../unit-of-work.ts';

/**
 * Reports that stand together in an index of one feed, in the order of their numbers: the newest of them are read
 * without looking at the others, however many there are.
 */
export interface Range {
  readonly match: SearchMatch;
  newest(limit: number): UnitOfWork<readonly { readonly number: number }[]>;
}

interface Place {
  serviceId: number;
  limit: number;
}

const ofHash = query<Place & { sha256: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('number')
    .where('sha256', '=', parameter.sha256)
    .where('service_id', '=', parameter.serviceId)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const ofC2 = query<Place & { host: string; port: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const ofName = query<Place & { name: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('name', '=', parameter.name)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const ofTag = query<Place & { tag: string }>()((db, parameter) =>
  db
    .selectFrom('report_tag')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('tag', '=', parameter.tag)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

/** In the text of the query, so that each is seen to be that of an index. */
const HAS_EXPIRED = sql<boolean>`status = 'expired'`;
const HAS_NOT_EXPIRED = sql<boolean>`status <> 'expired'`;

const ofColumn = (column: 'host' | 'reported_by', state: typeof HAS_EXPIRED) =>
  query<Place & { value: string }>()((db, parameter) =>
    db
      .selectFrom('report')
      .select('number')
      .where('service_id', '=', parameter.serviceId)
      .where(column, '=', parameter.value)
      .where(state)
      .orderBy('number', 'desc')
      .limit(parameter.limit),
  );

const OF_HOST = [ofColumn('host', HAS_NOT_EXPIRED), ofColumn('host', HAS_EXPIRED)];
const OF_REPORTER = [
  ofColumn('reported_by', HAS_NOT_EXPIRED),
  ofColumn('reported_by', HAS_EXPIRED),
];

export function hashRange(match: SearchMatch, serviceId: number, sha256: string): Range {
  return rangeOf(match, ofHash, { serviceId, sha256 });
}

export function c2Range(serviceId: number, host: string, port: number): Range {
  return rangeOf('c2', ofC2, { serviceId, host, port });
}

export function hostRanges(match: SearchMatch, serviceId: number, host: string): readonly Range[] {
  return OF_HOST.map((found) => rangeOf(match, found, { serviceId, value: host }));
}

export function reporterRanges(serviceId: number, name: string): readonly Range[] {
  return OF_REPORTER.map((found) => rangeOf('reporter', found, { serviceId, value: name }));
}

/** Reports that are called so, and reports that have it as a tag. */
export function textRanges(
  matches: readonly [name: SearchMatch, tag: SearchMatch],
  serviceId: number,
  text: string,
): readonly Range[] {
  return [
    rangeOf(matches[0], ofName, { serviceId, name: text }),
    rangeOf(matches[1], ofTag, { serviceId, tag: text }),
  ];
}

function rangeOf<Values extends object>(
  match: SearchMatch,
  found: Query<Values & { limit: number }, { number: number }>,
  values: Values,
): Range {
  return { match, newest: (limit) => rows(found, { ...values, limit }) };
}

/** The newest reports of all ranges by their numbers, newest first, each with what fits it best. */
export function* newestOfRanges(
  ranges: readonly Range[],
  limit: number,
): UnitOfWork<ReadonlyMap<number, SearchMatch>> {
  const found = new Map<number, SearchMatch>();
  for (const range of yield* leading(ranges, limit)) {
    for (const { number } of yield* range.newest(limit)) {
      const known = found.get(number);
      if (known === undefined || isBetter(range.match, known)) found.set(number, range.match);
    }
  }
  const newest = [...found].sort(([one], [other]) => other - one);
  return new Map(newest.slice(0, limit));
}

/** Nothing of a range is among the newest unless its own newest is: of many ranges only so many are read. */
function* leading(ranges: readonly Range[], limit: number): UnitOfWork<readonly Range[]> {
  if (ranges.length <= limit) return ranges;
  const heads: { readonly range: Range; readonly head: number }[] = [];
  for (const range of ranges) {
    for (const { number } of yield* range.newest(1)) heads.push({ range, head: number });
  }
  // A report may lead several ranges: it is reports that are counted.
  const numbers = [...new Set(heads.map(({ head }) => head))].sort((one, other) => other - one);
  const least = numbers[limit - 1] ?? 0;
  return heads.filter(({ head }) => head >= least).map(({ range }) => range);
}

function isBetter(one: SearchMatch, other: SearchMatch): boolean {
  return SEARCH_MATCHES.indexOf(one) < SEARCH_MATCHES.indexOf(other);
}
