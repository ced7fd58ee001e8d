import { sql } from 'kysely';
import type { MispDay } from '../../../../ports/misp-store.ts';
import { lockTask } from '../../../units/locks.ts';
import { ONE, query } from '../../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { isAdded } from './published-versions.ts';

/** The days of a hundred years. */
const MAX_DAYS = 36_600;

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

type Change = readonly [addedAt: number, reportedAt: string];

const selectReports = query<Range, Change>('arrays')((db, parameter, dialect) =>
  db
    .selectFrom('report')
    .select(['report.added_at', 'report.reported_at'])
    .where('report.service_id', '=', parameter.serviceId)
    .where(isAdded(dialect))
    .where('report.added_at', '>', parameter.after)
    .orderBy('report.added_at')
    .limit(parameter.limit),
);

const selectTombstones = query<Range, Change>('arrays')((db, parameter) =>
  db
    .selectFrom('tombstone')
    .select(['tombstone.added_at', 'tombstone.reported_at'])
    .where('tombstone.service_id', '=', parameter.serviceId)
    .where('tombstone.added_at', '>', parameter.after)
    .orderBy('tombstone.added_at')
    .limit(parameter.limit),
);

const selectLastStamp = query<{ serviceId: number }>()((db, parameter) =>
  db
    .selectFrom('misp_day')
    .select('stamp')
    .where('service_id', '=', parameter.serviceId)
    .orderBy('stamp', 'desc')
    .limit(ONE),
);

const putDay = query<{ service_id: number; day: string; stamp: number }>()((db, parameter) =>
  db
    .insertInto('misp_day')
    .values({ service_id: parameter.service_id, day: parameter.day, stamp: parameter.stamp })
    .onConflict((conflict) =>
      conflict.columns(['service_id', 'day']).doUpdateSet({ stamp: sql<number>`excluded.stamp` }),
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

const selectDays = query<{ slug: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('misp_day')
    .select(['day', 'stamp'])
    .where(
      'service_id',
      '=',
      db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
    )
    .orderBy('day')
    .limit(parameter.limit),
);

export function* changedFeeds(): UnitOfWork<readonly string[]> {
  return (yield* rows(selectChanged, {})).map(({ slug }) => slug);
}

export function* daysOf(slug: string): UnitOfWork<readonly MispDay[]> {
  return yield* rows(selectDays, { slug, limit: MAX_DAYS });
}

/** Whether changes have not raised a stamp yet. A read, so that most calls take no lock. */
export function* isBehind(slug: string): UnitOfWork<boolean> {
  const feed = yield* row(selectPosition, { slug });
  return feed !== undefined && feed.last > (feed.position ?? 0);
}

export function* stampDays(slug: string, now: Date, limit: number): UnitOfWork<number> {
  // Another node would read the same changes and raise the same stamps again.
  yield* lockTask(`misp ${slug}`);
  const feed = yield* row(selectPosition, { slug });
  if (feed === undefined || feed.last <= (feed.position ?? 0)) return 0;
  // Changes up to `last` are committed. Later ones may become visible between the two statements.
  const range = { serviceId: feed.id, after: feed.position ?? 0, limit };
  const reports = yield* rows(selectReports, range);
  const tombstones = yield* rows(selectTombstones, range);
  const upTo = Math.min(feed.last, endOf(reports, limit), endOf(tombstones, limit));
  const changes = [...reports, ...tombstones].filter(([addedAt]) => addedAt <= upTo);
  yield* raiseStamps(feed.id, new Set(changes.map(([, time]) => time.slice(0, 10))), now);
  yield* rows(putPosition, { service_id: feed.id, added_at: upTo });
  return Math.max(1, changes.length);
}

/** How far the changes were read. */
function endOf(changes: readonly Change[], limit: number): number {
  return changes[limit - 1]?.[0] ?? Number.MAX_SAFE_INTEGER;
}

function* raiseStamps(serviceId: number, days: ReadonlySet<string>, now: Date): UnitOfWork<void> {
  const last = (yield* row(selectLastStamp, { serviceId }))?.stamp ?? 0;
  const first = Math.max(Math.floor(now.getTime() / 1000), last + 1);
  const raised = [...days].sort().map((day, index) => ({ day, stamp: first + index }));
  yield* each(
    putDay,
    raised.map((one) => ({ service_id: serviceId, ...one })),
  );
}
