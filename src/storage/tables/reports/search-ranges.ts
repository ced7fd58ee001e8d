import { sql } from 'kysely';
import { SEARCH_MATCHES, type SearchMatch } from '../../../domain/search-query.ts';
import { type Query, query } from '../../units/query.ts';
import { allInParallel, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { type C2Key, hasC2Key } from './c2-key.ts';
import { isOfFile } from './file-key.ts';
import { type FeedHost, MAX_OF_RARE_HOST } from './host-reports.ts';

/**
 * Reports that are adjacent in an index of one feed, in the order of their numbers. The newest are
 * read without reading the others.
 */
export interface Range {
  readonly match: SearchMatch;
  newest(limit: number): UnitOfWork<readonly { readonly number: number }[]>;
}

interface FeedRange {
  serviceId: number;
  limit: number;
}

const ofHash = query<FeedRange & { sha256: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .select('number')
    .where(isOfFile(parameter.sha256, dialect))
    .where('service_id', '=', parameter.serviceId)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const ofC2 = query<C2Key & { limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('number')
    .where(hasC2Key(parameter))
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const ofName = query<FeedRange & { name: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('name', '=', parameter.name)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const ofTag = query<FeedRange & { tag: string }>()((db, parameter) =>
  db
    .selectFrom('report_tag')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('tag', '=', parameter.tag)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

/** Literals, as in the partial indexes: parameters would not match an index. */
const HAS_EXPIRED = sql<boolean>`status = 'expired'`;
const HAS_NOT_EXPIRED = sql<boolean>`status <> 'expired'`;

const ofReporter = (state: typeof HAS_EXPIRED) =>
  query<FeedRange & { value: string }>()((db, parameter) =>
    db
      .selectFrom('report')
      .select('number')
      .where('service_id', '=', parameter.serviceId)
      .where('reported_by', '=', parameter.value)
      .where(state)
      .orderBy('number', 'desc')
      .limit(parameter.limit),
  );

const OF_REPORTER = [ofReporter(HAS_NOT_EXPIRED), ofReporter(HAS_EXPIRED)];

const ofFrequentHost = query<FeedRange & FeedHost>()((db, parameter) =>
  db
    .selectFrom('host_report')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('host', '=', parameter.host)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

/** In the order of the index of C2s: the caller sorts them. */
const ofRareHost = query<FeedHost>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('number')
    .where('service_id', '=', parameter.serviceId)
    .where('host', '=', parameter.host)
    .orderBy('port')
    .limit(sql.lit(MAX_OF_RARE_HOST)),
);

export function hashRange(match: SearchMatch, serviceId: number, sha256: string): Range {
  return rangeOf(match, ofHash, { serviceId, sha256 });
}

export function c2Range(serviceId: number, host: string, port: number): Range {
  return rangeOf('c2', ofC2, { service_id: serviceId, host, port });
}

export function hostRange(match: SearchMatch, serviceId: number, host: string): Range {
  return { match, newest: (limit) => newestOfHost({ serviceId, host }, limit) };
}

function* newestOfHost(host: FeedHost, limit: number): UnitOfWork<readonly { number: number }[]> {
  const found = yield* rows(ofFrequentHost, { ...host, limit });
  if (found.length > 0) return found;
  const few = yield* rows(ofRareHost, host);
  return few.toSorted((one, other) => other.number - one.number).slice(0, limit);
}

export function reporterRanges(serviceId: number, name: string): readonly Range[] {
  return OF_REPORTER.map((select) => rangeOf('reporter', select, { serviceId, value: name }));
}

/** Reports with that name, and reports with that tag. */
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
  select: Query<Values & { limit: number }, { number: number }>,
  values: Values,
): Range {
  return { match, newest: (limit) => rows(select, { ...values, limit }) };
}

/** The numbers of the newest reports of all ranges, newest first, each with its best match. */
export function* newestOfRanges(
  ranges: readonly Range[],
  limit: number,
): UnitOfWork<ReadonlyMap<number, SearchMatch>> {
  const found = new Map<number, SearchMatch>();
  const read = yield* leading(ranges, limit);
  const numbers = yield* allInParallel(read.map((range) => range.newest(limit)));
  for (const [index, { match }] of read.entries()) {
    for (const { number } of numbers[index] ?? []) {
      const best = found.get(number);
      if (best === undefined || isBetter(match, best)) found.set(number, match);
    }
  }
  const newest = [...found].sort(([one], [other]) => other - one);
  return new Map(newest.slice(0, limit));
}

/** A range without its newest report among the `limit` newest of all contributes nothing. */
function* leading(ranges: readonly Range[], limit: number): UnitOfWork<readonly Range[]> {
  if (ranges.length <= limit) return ranges;
  const newest = yield* allInParallel(ranges.map((range) => range.newest(1)));
  const heads = ranges.flatMap((range, index) =>
    (newest[index] ?? []).map(({ number }) => ({ range, head: number })),
  );
  // A report may be the newest of several ranges, so distinct reports are counted.
  const numbers = [...new Set(heads.map(({ head }) => head))].sort((one, other) => other - one);
  const lowest = numbers[limit - 1] ?? 0;
  return heads.filter(({ head }) => head >= lowest).map(({ range }) => range);
}

function isBetter(one: SearchMatch, other: SearchMatch): boolean {
  return SEARCH_MATCHES.indexOf(one) < SEARCH_MATCHES.indexOf(other);
}
