import { sql } from 'kysely';
import { LIVE_STATUSES } from '../../domain/desk.ts';
import { all, ONE, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { appendEvent, type Place, type Sequences } from './feed.ts';

/** A C2 in a feed. */
export interface Spot {
  readonly service_id: number;
  readonly host: string;
  readonly port: number;
}

const SPOT = ['service_id', 'host', 'port'] as const;

/** So many siblings at most are renewed with a new sighting; older ones when their time comes. */
const RENEWED_AT_ONCE = 100;
/** A burst of sightings must not write the same rows again and again. */
export const WORTH_MOVING_MS = 3_600_000;

/** With every change of a report, what is known of its C2 by then. */
export const COUNTED_NOW = {
  sightings: sql<number>`coalesce((
    select sum(known.reports) from c2_reporter as known
    where known.service_id = report.service_id and known.host = report.host and known.port = report.port
  ), 1)`,
  corroboration: sql<number>`(
    select count(*) from c2_reporter as known
    where known.service_id = report.service_id and known.host = report.host and known.port = report.port
      and known.reporter_id <> report.reporter_id
  )`,
};

const selectFirst = query<Spot>()((db, hole) =>
  db
    .selectFrom('report')
    .select(['id', 'reporter_id'])
    .where('service_id', '=', hole.service_id)
    .where('host', '=', hole.host)
    .where('port', '=', hole.port)
    .orderBy('number')
    .limit(ONE),
);

const selectLast = query<Spot>()((db, hole) =>
  db
    .selectFrom('report')
    .select('reported_at')
    .where('service_id', '=', hole.service_id)
    .where('host', '=', hole.host)
    .where('port', '=', hole.port)
    .orderBy('number', 'desc')
    .limit(ONE),
);

const selectActioned = query<Spot>()((db, hole) =>
  db
    .selectFrom('report')
    .select('number')
    .where('service_id', '=', hole.service_id)
    .where('host', '=', hole.host)
    .where('port', '=', hole.port)
    // As it stands in the index: an argument would not be recognised.
    .where(sql<boolean>`status = 'actioned'`)
    .limit(ONE),
);

const addOne = query<Spot & { reporter_id: string }>()((db, hole) =>
  db
    .insertInto('c2_reporter')
    .values({ ...all(hole, [...SPOT, 'reporter_id']), reports: 1 })
    .onConflict((conflict) =>
      conflict
        .columns([...SPOT, 'reporter_id'])
        .doUpdateSet({ reports: sql<number>`c2_reporter.reports + 1` }),
    ),
);

const removeOne = query<Spot & { reporter_id: string }>()((db, hole) =>
  db
    .updateTable('c2_reporter')
    .set((column) => ({ reports: column('reports', '-', 1) }))
    .where('service_id', '=', hole.service_id)
    .where('host', '=', hole.host)
    .where('port', '=', hole.port)
    .where('reporter_id', '=', hole.reporter_id)
    .where('reports', '>', 1)
    .returning('reports'),
);

const removeReporter = query<Spot & { reporter_id: string }>()((db, hole) =>
  db
    .deleteFrom('c2_reporter')
    .where('service_id', '=', hole.service_id)
    .where('host', '=', hole.host)
    .where('port', '=', hole.port)
    .where('reporter_id', '=', hole.reporter_id),
);

const selectCounts = query<Spot>()((db, hole) =>
  db
    .selectFrom('c2_reporter')
    .select(({ fn }) => [
      fn.sum<number>('reports').as('reports'),
      fn.countAll<number>().as('reporters'),
    ])
    .where('service_id', '=', hole.service_id)
    .where('host', '=', hole.host)
    .where('port', '=', hole.port),
);

const selectToRenew = query<Spot & { before: string; limit: number }>()((db, hole) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('report')
        .select(['id', 'number', 'status', 'expires_at'])
        .where('service_id', '=', hole.service_id)
        .where('host', '=', hole.host)
        .where('port', '=', hole.port)
        .orderBy('number', 'desc')
        .limit(hole.limit)
        .as('newest'),
    )
    .select('id')
    .where('status', 'in', LIVE_STATUSES)
    .where('expires_at', '<=', hole.before)
    .orderBy('number'),
);

const renewReport = query<{
  id: string;
  sequence: number;
  updated_at: string;
  expires_at: string;
}>()((db, hole) =>
  db
    .updateTable('report')
    .set({ ...all(hole, ['sequence', 'updated_at', 'expires_at']), ...COUNTED_NOW })
    .where('id', '=', hole.id),
);

/** What a new report finds of its C2 in its feed. */
export interface Known {
  readonly firstSeenId: string | undefined;
  readonly sightings: number;
  readonly corroboration: number;
  readonly recurrence: boolean;
}

const NEW: Known = { firstSeenId: undefined, sightings: 1, corroboration: 0, recurrence: false };

/** Counts a new report, which is about to be written. */
export function* countSighting(spot: Spot, reporterId: string): UnitOfWork<Known> {
  const first = yield* row(selectFirst, spot);
  if (first === undefined) return NEW;
  yield* rows(addOne, { ...spot, reporter_id: reporterId });
  let counts = yield* row(selectCounts, spot);
  if (counts?.reports === 1) {
    // It is the second: the first has not been counted yet.
    yield* rows(addOne, { ...spot, reporter_id: first.reporter_id });
    counts = yield* row(selectCounts, spot);
  }
  return {
    firstSeenId: first.id,
    sightings: counts?.reports ?? 1,
    corroboration: (counts?.reporters ?? 1) - 1,
    recurrence: (yield* row(selectActioned, spot)) !== undefined,
  };
}

/** Counts a report no longer, which was deleted. */
export function* uncountSighting(spot: Spot, reporterId: string): UnitOfWork<void> {
  const reporter = { ...spot, reporter_id: reporterId };
  if ((yield* row(removeOne, reporter)) === undefined) yield* rows(removeReporter, reporter);
}

/** When the C2 was last reported. */
export function* lastSighting(spot: Spot): UnitOfWork<Date | undefined> {
  const last = yield* row(selectLast, spot);
  return last && new Date(last.reported_at);
}

/** Those of the newest reports of this C2 that live on because it was seen again, oldest first. */
export function* siblingsToRenew(spot: Spot, expiresAt: Date): UnitOfWork<readonly string[]> {
  const before = new Date(expiresAt.getTime() - WORTH_MOVING_MS).toISOString();
  // One more: the new report itself is among the newest.
  const limit = RENEWED_AT_ONCE + 1;
  const found = yield* rows(selectToRenew, { ...spot, before, limit });
  return found.map(({ id }) => id);
}

export interface Renewal {
  readonly service: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Each is a change of its own. */
export function* renewReports(
  ids: readonly string[],
  { service, at, expiresAt }: Renewal,
  sequences: Sequences,
): UnitOfWork<void> {
  sequences.want(service, ids.length);
  for (const id of ids) {
    const place = (yield* sequences.take(service)) as Place;
    yield* rows(renewReport, {
      id,
      sequence: place.sequence,
      updated_at: at.toISOString(),
      expires_at: expiresAt.toISOString(),
    });
    yield* appendEvent(place, { type: 'updated', reportId: id, at: at.toISOString() });
  }
}
