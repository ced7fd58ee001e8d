import type { Change } from '../../../../domain/reports/change.ts';
import type { ChangeRecord, FeedScope } from '../../../../ports/feed-store.ts';
import { query } from '../../../units/query.ts';
import { rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { fromTuple, SERIALIZED_COLUMNS, type SerializedTuple } from '../serialized-reports.ts';

export interface Feed {
  readonly id: number;
  readonly slug: string;
  readonly last: number;
  readonly oldest: number;
}

const FEED_COLUMNS = ['id', 'slug', 'last_sequence as last', 'oldest_sequence as oldest'] as const;

const selectFeed = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select(FEED_COLUMNS).where('slug', '=', parameter.slug),
);

const selectFeeds = query()((db) => db.selectFrom('service').select(FEED_COLUMNS).orderBy('slug'));

export function* feedsOf(scope: FeedScope): UnitOfWork<readonly Feed[]> {
  return scope === undefined
    ? yield* rows(selectFeeds, {})
    : yield* rows(selectFeed, { slug: scope });
}

interface LogRange {
  serviceId: number;
  /** Exclusive. */
  since: number;
  limit: number;
}

const EVENT_COLUMNS = ['event.sequence', 'event.type', 'event.report_id', 'event.at'] as const;

type EventTuple = readonly [sequence: number, type: Change['type'], reportId: string, at: string];

const selectEvents = query<LogRange, EventTuple>('arrays')((db, parameter) =>
  db
    .selectFrom('event')
    .select(EVENT_COLUMNS)
    .where('event.service_id', '=', parameter.serviceId)
    .where('event.sequence', '>', parameter.since)
    .orderBy('event.sequence')
    .limit(parameter.limit),
);

/** The columns of a report that was deleted since are `null`. */
type JoinedTuple =
  | readonly [...SerializedTuple, ...EventTuple]
  | readonly [...Nulls<SerializedTuple>, ...EventTuple];

type Nulls<Tuple extends readonly unknown[]> = { readonly [Index in keyof Tuple]: null };

const selectChanges = query<LogRange, JoinedTuple>('arrays')((db, parameter) =>
  db
    .selectFrom('event')
    .leftJoin('report', 'report.id', 'event.report_id')
    .select(SERIALIZED_COLUMNS)
    .select(EVENT_COLUMNS)
    .where('event.service_id', '=', parameter.serviceId)
    .where('event.sequence', '>', parameter.since)
    .orderBy('event.sequence')
    .limit(parameter.limit),
);

/** The changes of a feed after a sequence. */
export function* readRecords(
  { id, slug }: Feed,
  since: number,
  limit: number,
): UnitOfWork<readonly ChangeRecord[]> {
  const found = yield* rows(selectEvents, { serviceId: id, since, limit });
  return found.map(([sequence, type, reportId, at]) => ({
    service: slug,
    sequence,
    type,
    reportId,
    at: new Date(at),
  }));
}

/** The same with the current reports. */
export function* readChanges(
  { id, slug }: Feed,
  since: number,
  limit: number,
): UnitOfWork<readonly Change[]> {
  const found = yield* rows(selectChanges, { serviceId: id, since, limit });
  return found.map((one) => ({
    service: slug,
    sequence: one[14],
    type: one[15],
    reportId: one[16],
    at: new Date(one[17]),
    report: one[0] === null ? undefined : fromTuple(slug, one),
  }));
}
