import { sql } from 'kysely';
import { mispEventId } from '../../../../domain/reports/misp-event-id.ts';
import type { StampRequest } from '../../../../ports/misp-store.ts';
import { lockTask } from '../../../units/locks.ts';
import { all, type Dialect, query } from '../../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { lastStamp } from './misp-events.ts';
import { isAdded } from './published-versions.ts';

const selectChanged = query()((db) =>
  db
    .selectFrom('service')
    .leftJoin('misp_position', 'misp_position.service_id', 'service.id')
    .select('service.slug')
    .where(sql<boolean>`service.last_added > coalesce(misp_position.added_at, 0)`)
    .orderBy('service.slug'),
);

const selectPosition = query<{ slug: string }>()((db, parameter) =>
  db
    .selectFrom('service')
    .leftJoin('misp_position', 'misp_position.service_id', 'service.id')
    .select(['service.id', 'service.last_added as last', 'misp_position.added_at as position'])
    .where('service.slug', '=', parameter.slug),
);

interface Range {
  serviceId: number;
  /** Exclusive. */
  after: number;
  limit: number;
}

type Change = readonly [addedAt: number, reportedAt: string, dayPart: number];

const selectReports = query<Range, Change>('arrays')((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .select(['report.added_at', 'report.reported_at', 'report.day_part'])
    .where('report.service_id', '=', parameter.serviceId)
    .where(isAdded(dialect))
    .where('report.added_at', '>', parameter.after)
    .orderBy('report.added_at')
    .limit(parameter.limit),
);

const selectTombstones = query<Range, Change>('arrays')((db, parameter) =>
  db
    .selectFrom('tombstone')
    .select(['tombstone.added_at', 'tombstone.reported_at', 'tombstone.day_part'])
    .where('tombstone.service_id', '=', parameter.serviceId)
    .where('tombstone.added_at', '>', parameter.after)
    .orderBy('tombstone.added_at')
    .limit(parameter.limit),
);

interface RaisedEvent {
  id: string;
  service_id: number;
  day: string;
  part: number;
  stamp: number;
  first_reported_at: string;
  last_reported_at: string;
}

const leastOf = (dialect: Dialect) => sql.raw(dialect === 'sqlite' ? 'min' : 'least');
const greatestOf = (dialect: Dialect) => sql.raw(dialect === 'sqlite' ? 'max' : 'greatest');

const putEvent = query<RaisedEvent>()((db, parameter, dialect) =>
  db
    .insertInto('misp_event')
    .values(
      all(parameter, [
        'id',
        'service_id',
        'day',
        'part',
        'stamp',
        'first_reported_at',
        'last_reported_at',
      ]),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        stamp: sql<number>`excluded.stamp`,
        first_reported_at: sql<string>`${leastOf(dialect)}(misp_event.first_reported_at, excluded.first_reported_at)`,
        last_reported_at: sql<string>`${greatestOf(dialect)}(misp_event.last_reported_at, excluded.last_reported_at)`,
      }),
    ),
);

const putPosition = query<{ service_id: number; added_at: number }>()((db, parameter) =>
  db
    .insertInto('misp_position')
    .values({ service_id: parameter.service_id, added_at: parameter.added_at })
    .onConflict((conflict) =>
      conflict.column('service_id').doUpdateSet({ added_at: sql<number>`excluded.added_at` }),
    ),
);

export function* changedFeeds(): UnitOfWork<readonly string[]> {
  return (yield* rows(selectChanged, {})).map(({ slug }) => slug);
}

/** Whether changes have not raised a stamp yet. A read, so that most calls take no lock. */
export function* isBehind(slug: string): UnitOfWork<boolean> {
  const feed = yield* row(selectPosition, { slug });
  return feed !== undefined && feed.last > (feed.position ?? 0);
}

export function* stampEvents(
  slug: string,
  { namespace, now, limit }: StampRequest,
): UnitOfWork<number> {
  // Another node would read the same changes, or give events of another feed the same stamps.
  yield* lockTask('misp');
  const feed = yield* row(selectPosition, { slug });
  if (feed === undefined || feed.last <= (feed.position ?? 0)) return 0;
  // Changes up to `last` are committed. Later ones may become visible between the two statements.
  const range = { serviceId: feed.id, after: feed.position ?? 0, limit };
  const reports = yield* rows(selectReports, range);
  const tombstones = yield* rows(selectTombstones, range);
  const upTo = Math.min(feed.last, endOf(reports, limit), endOf(tombstones, limit));
  const changes = [...reports, ...tombstones].filter(([addedAt]) => addedAt <= upTo);
  const first = Math.max(Math.floor(now.getTime() / 1000), (yield* lastStamp()) + 1);
  yield* each(
    putEvent,
    changedEvents(changes).map((event, index) => ({
      ...event,
      id: mispEventId(namespace, slug, event),
      service_id: feed.id,
      stamp: first + index,
    })),
  );
  yield* rows(putPosition, { service_id: feed.id, added_at: upTo });
  return Math.max(1, changes.length);
}

/** How far the changes were read. */
function endOf(changes: readonly Change[], limit: number): number {
  return changes[limit - 1]?.[0] ?? Number.MAX_SAFE_INTEGER;
}

type ChangedEvent = Omit<RaisedEvent, 'id' | 'service_id' | 'stamp'>;

/** By day and part. */
function changedEvents(changes: readonly Change[]): readonly ChangedEvent[] {
  const byTime = changes.map(([, time, part]) => ({ time, day: time.slice(0, 10), part }));
  byTime.sort((one, other) => (one.time < other.time ? -1 : 1));
  const events = new Map<string, ChangedEvent>();
  for (const { time, day, part } of byTime) {
    const key = `${day} ${part}`;
    const first = events.get(key)?.first_reported_at ?? time;
    events.set(key, { day, part, first_reported_at: first, last_reported_at: time });
  }
  return [...events.values()].sort(
    (one, other) =>
      Number(one.day > other.day) - Number(one.day < other.day) || one.part - other.part,
  );
}
