import { sql } from 'kysely';
import { UNRESOLVED_STATUSES } from '../../../domain/reports/desk.ts';
import { all, each, ONE, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { appendEvents, type Place, type Sequences } from '../feeds/events.ts';

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

const selectFirst = query<Spot>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(['id', 'reporter_id'])
    .where('service_id', '=', parameter.service_id)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    .orderBy('number')
    .limit(ONE),
);

const selectLast = query<Spot>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('reported_at')
    .where('service_id', '=', parameter.service_id)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    .orderBy('number', 'desc')
    .limit(ONE),
);

const selectActioned = query<Spot>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('number')
    .where('service_id', '=', parameter.service_id)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    // As it stands in the index: an argument would not be recognised.
    .where(sql<boolean>`status = 'actioned'`)
    .limit(ONE),
);

interface Counted extends Spot {
  readonly reporter_id: string;
  readonly reports: number;
}

const putCount = query<Counted>()((db, parameter) =>
  db
    .insertInto('c2_reporter')
    .values(all(parameter, [...SPOT, 'reporter_id', 'reports']))
    .onConflict((conflict) =>
      conflict
        .columns([...SPOT, 'reporter_id'])
        .doUpdateSet({ reports: sql<number>`excluded.reports` }),
    ),
);

const selectCount = query<Omit<Counted, 'reports'>>()((db, parameter) =>
  db
    .selectFrom('c2_reporter')
    .select('reports')
    .where('service_id', '=', parameter.service_id)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    .where('reporter_id', '=', parameter.reporter_id),
);

const removeOne = query<Spot & { reporter_id: string }>()((db, parameter) =>
  db
    .updateTable('c2_reporter')
    .set((column) => ({ reports: column('reports', '-', 1) }))
    .where('service_id', '=', parameter.service_id)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    .where('reporter_id', '=', parameter.reporter_id)
    .where('reports', '>', 1)
    .returning('reports'),
);

const removeReporter = query<Spot & { reporter_id: string }>()((db, parameter) =>
  db
    .deleteFrom('c2_reporter')
    .where('service_id', '=', parameter.service_id)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    .where('reporter_id', '=', parameter.reporter_id),
);

const selectCounts = query<Spot>()((db, parameter) =>
  db
    .selectFrom('c2_reporter')
    .select(({ fn }) => [
      fn.sum<number>('reports').as('reports'),
      fn.countAll<number>().as('reporters'),
    ])
    .where('service_id', '=', parameter.service_id)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port),
);

const selectToRenew = query<Spot & { before: string }>()((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('report')
        .select(['id', 'number', 'status', 'expires_at'])
        .where('service_id', '=', parameter.service_id)
        .where('host', '=', parameter.host)
        .where('port', '=', parameter.port)
        .orderBy('number', 'desc')
        // One more: the new report itself is among the newest.
        .limit(sql.lit(RENEWED_AT_ONCE + 1))
        .as('newest'),
    )
    .select('id')
    .where('status', 'in', UNRESOLVED_STATUSES)
    .where('expires_at', '<=', parameter.before)
    .orderBy('number'),
);

const renewReport = query<{
  id: string;
  sequence: number;
  updated_at: string;
  expires_at: string;
}>()((db, parameter) =>
  db
    .updateTable('report')
    .set({ ...all(parameter, ['sequence', 'updated_at', 'expires_at']), ...COUNTED_NOW })
    .where('id', '=', parameter.id),
);

/** What a new report finds of its C2 in its feed. */
export interface Known {
  readonly firstSeenId: string | undefined;
  readonly sightings: number;
  readonly corroboration: number;
  readonly recurrence: boolean;
}

/** Nothing. */
export const NEW: Known = {
  firstSeenId: undefined,
  sightings: 1,
  corroboration: 0,
  recurrence: false,
};

/** A report that is about to be written. */
export interface Sighting {
  readonly id: string;
  readonly spot: Spot;
  readonly reporterId: string;
}

/** What is known of a C2 while reports of it are counted. */
interface Tally {
  readonly spot: Spot;
  first: { readonly id: string; readonly reporterId: string } | undefined;
  /** Nought until its second report. */
  reports: number;
  reporters: number;
  recurrence: boolean;
  /** Of reporters that matter now. */
  readonly counts: Map<string, number>;
  readonly changed: Set<string>;
}

/** Counts reports that come together. Their feeds must be locked by then. */
export function* countSightings(sightings: readonly Sighting[]): UnitOfWork<readonly Known[]> {
  const tallies = yield* loadTallies(sightings);
  const known = sightings.map((sighting) => {
    const tally = tallies.get(spotKey(sighting.spot));
    return tally === undefined ? NEW : count(tally, sighting);
  });
  yield* each(putCount, [...tallies.values()].flatMap(changedCounts));
  return known;
}

function* loadTallies(sightings: readonly Sighting[]): UnitOfWork<ReadonlyMap<string, Tally>> {
  const tallies = new Map<string, Tally>();
  for (const { spot } of sightings) tallies.set(spotKey(spot), emptyTally(spot));
  const all = [...tallies.values()];
  const firsts = yield* each(
    selectFirst,
    all.map(({ spot }) => spot),
  );
  for (const [place, tally] of all.entries()) {
    const first = firsts[place]?.[0];
    if (first !== undefined) tally.first = { id: first.id, reporterId: first.reporter_id };
  }
  const old = all.filter(({ first }) => first !== undefined);
  yield* loadCounts(old);
  yield* loadReporters(old, sightings);
  return tallies;
}

function* loadCounts(tallies: readonly Tally[]): UnitOfWork<void> {
  const spots = tallies.map(({ spot }) => spot);
  const totals = yield* each(selectCounts, spots);
  const actioned = yield* each(selectActioned, spots);
  for (const [place, tally] of tallies.entries()) {
    tally.reports = totals[place]?.[0]?.reports ?? 0;
    tally.reporters = totals[place]?.[0]?.reporters ?? 0;
    tally.recurrence = (actioned[place]?.length ?? 0) > 0;
  }
}

function* loadReporters(
  tallies: readonly Tally[],
  sightings: readonly Sighting[],
): UnitOfWork<void> {
  // Where nothing was counted yet, there is nothing to be found.
  const counted = new Map(
    tallies.filter(({ reports }) => reports > 0).map((tally) => [spotKey(tally.spot), tally]),
  );
  const asked = new Map<string, { readonly tally: Tally; readonly reporterId: string }>();
  for (const { spot, reporterId } of sightings) {
    const tally = counted.get(spotKey(spot));
    if (tally !== undefined) asked.set(`${reporterId} ${spotKey(spot)}`, { tally, reporterId });
  }
  const pairs = [...asked.values()];
  const found = yield* each(
    selectCount,
    pairs.map(({ tally, reporterId }) => ({ ...tally.spot, reporter_id: reporterId })),
  );
  for (const [place, { tally, reporterId }] of pairs.entries())
    tally.counts.set(reporterId, found[place]?.[0]?.reports ?? 0);
}

function count(tally: Tally, { id, reporterId }: Sighting): Known {
  const { first } = tally;
  if (first === undefined) {
    tally.first = { id, reporterId };
    return NEW;
  }
  // It is the second: the first has not been counted yet.
  if (tally.reports === 0) addOne(tally, first.reporterId);
  addOne(tally, reporterId);
  return {
    firstSeenId: first.id,
    sightings: tally.reports,
    corroboration: tally.reporters - 1,
    recurrence: tally.recurrence,
  };
}

function addOne(tally: Tally, reporterId: string): void {
  const before = tally.counts.get(reporterId) ?? 0;
  if (before === 0) tally.reporters += 1;
  tally.reports += 1;
  tally.counts.set(reporterId, before + 1);
  tally.changed.add(reporterId);
}

function changedCounts({ spot, counts, changed }: Tally): readonly Counted[] {
  return [...changed].map((reporterId) => ({
    ...spot,
    reporter_id: reporterId,
    reports: counts.get(reporterId) ?? 1,
  }));
}

function emptyTally(spot: Spot): Tally {
  const nothing = { first: undefined, reports: 0, reporters: 0, recurrence: false };
  return { spot, ...nothing, counts: new Map(), changed: new Set() };
}

function spotKey({ service_id, host, port }: Spot): string {
  return `${service_id} ${port} ${host}`;
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

/** A C2 that was seen again, and until when its reports live on because of that. */
export interface SeenAgain {
  readonly spot: Spot;
  readonly service: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Renews those of the newest reports of each C2 that would be over before that, oldest first. */
export function* renewSiblings(seen: readonly SeenAgain[], sequences: Sequences): UnitOfWork<void> {
  const found = yield* each(
    selectToRenew,
    seen.map(({ spot, expiresAt }) => ({
      ...spot,
      before: new Date(expiresAt.getTime() - WORTH_MOVING_MS).toISOString(),
    })),
  );
  const renewals = seen.flatMap(({ service, at, expiresAt }, place) =>
    (found[place] ?? []).map(({ id }) => ({ id, service, at, expiresAt })),
  );
  // Of one that was seen twice, far apart, the last counts.
  yield* renewReports([...new Map(renewals.map((one) => [one.id, one])).values()], sequences);
}

export interface Renewal {
  readonly id: string;
  readonly service: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Each is a change of its own. */
export function* renewReports(
  renewals: readonly Renewal[],
  sequences: Sequences,
): UnitOfWork<void> {
  for (const { service } of renewals) sequences.want(service, 1);
  const changes: { readonly place: Place; readonly renewal: Renewal }[] = [];
  for (const renewal of renewals) {
    // The feed is there: the report stands in it.
    const place = (yield* sequences.take(renewal.service)) as Place;
    changes.push({ place, renewal });
  }
  yield* each(
    renewReport,
    changes.map(({ place, renewal: { id, at, expiresAt } }) => ({
      id,
      sequence: place.sequence,
      updated_at: at.toISOString(),
      expires_at: expiresAt.toISOString(),
    })),
  );
  yield* appendEvents(
    changes.map(({ place, renewal: { id, at } }) => ({
      place,
      happening: { type: 'updated', reportId: id, at: at.toISOString() },
    })),
  );
}
