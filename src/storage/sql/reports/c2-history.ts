import { sql } from 'kysely';
import {
  all,
  each,
  inParallel,
  ONE,
  query,
  row,
  rows,
  type UnitOfWork,
} from '../../unit-of-work.ts';
import { C2_KEY_COLUMNS, type C2Key, c2KeyText, hasC2Key } from './c2-key.ts';
import { MAX_OF_RARE_HOST } from './host-reports.ts';

const REPORTERS_OF_C2 = sql`c2_reporter as reporter
    where reporter.service_id = report.service_id and reporter.host = report.host and reporter.port = report.port`;

/**
 * Every update of a report also sets these columns: the counts are current as of its last change,
 * and the text of its creation is no longer sent.
 */
export const SET_BY_EVERY_UPDATE = {
  extension: null,
  sightings: sql<number>`coalesce((
    select sum(reporter.reports) from ${REPORTERS_OF_C2}
  ), 1)`,
  corroboration: sql<number>`(
    select count(*) from ${REPORTERS_OF_C2}
      and reporter.reporter_id <> report.reporter_id
  )`,
};

interface FirstOfC2 extends C2Key {
  /** The most reports that the host may have to stay rare with those of the batch. */
  readonly spare: number;
}

/** The first report of a C2, and how many its host has: one statement costs less than three. */
const selectFirst = query<FirstOfC2>()((db, parameter) => {
  const ofHost = sql`from report where service_id = ${parameter.service_id} and host = ${parameter.host}`;
  return db
    .selectFrom(sql<{ one: number }>`(select 1 as one)`.as('limited'))
    .leftJoin('report', (join) =>
      join.on(
        'report.number',
        '=',
        sql<number>`(select number from report where ${hasC2Key(parameter)} order by number limit 1)`,
      ),
    )
    .select([
      'report.id',
      'report.reporter_id',
      sql<number | null>`case when report.id is null
        then (select port ${ofHost} order by port limit 1) else report.port end`.as('of_host'),
      // An expression: a bound offset would make SQLite plan the statement at each execution.
      sql<number | null>`(
        select port ${ofHost} order by port limit 1 offset (${parameter.spare} + 0)
      )`.as('beyond_rare'),
    ]);
});

const selectActioned = query<C2Key>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('number')
    .where(hasC2Key(parameter))
    // A literal, as in the partial index: a parameter would not match the index.
    .where(sql<boolean>`status = 'actioned'`)
    .limit(ONE),
);

interface ReporterCount extends C2Key {
  readonly reporter_id: string;
  readonly reports: number;
}

const putCount = query<ReporterCount>()((db, parameter) =>
  db
    .insertInto('c2_reporter')
    .values(all(parameter, [...C2_KEY_COLUMNS, 'reporter_id', 'reports']))
    .onConflict((conflict) =>
      conflict
        .columns([...C2_KEY_COLUMNS, 'reporter_id'])
        .doUpdateSet({ reports: sql<number>`excluded.reports` }),
    ),
);

const selectCount = query<Omit<ReporterCount, 'reports'>>()((db, parameter) =>
  db
    .selectFrom('c2_reporter')
    .select('reports')
    .where(hasC2Key(parameter))
    .where('reporter_id', '=', parameter.reporter_id),
);

const removeOne = query<C2Key & { reporter_id: string }>()((db, parameter) =>
  db
    .updateTable('c2_reporter')
    .set((column) => ({ reports: column('reports', '-', 1) }))
    .where(hasC2Key(parameter))
    .where('reporter_id', '=', parameter.reporter_id)
    .where('reports', '>', 1)
    .returning('reports'),
);

const removeReporter = query<C2Key & { reporter_id: string }>()((db, parameter) =>
  db
    .deleteFrom('c2_reporter')
    .where(hasC2Key(parameter))
    .where('reporter_id', '=', parameter.reporter_id),
);

const selectCounts = query<C2Key>()((db, parameter) =>
  db
    .selectFrom('c2_reporter')
    .select(({ fn }) => [
      fn.sum<number>('reports').as('reports'),
      fn.countAll<number>().as('reporters'),
    ])
    .where(hasC2Key(parameter)),
);

/** The earlier reports of a C2 in its feed, counted with the new one. */
export interface C2History {
  readonly firstSeenId: string | undefined;
  readonly sightings: number;
  readonly corroboration: number;
  readonly recurrence: boolean;
  /** Whether the feed had reports of the host before the batch. */
  readonly isKnownHost: boolean;
  /** Whether the host has more than `MAX_OF_RARE_HOST` reports with those of the batch. */
  readonly isFrequentHost: boolean;
}

/** A report that is about to be written. */
export interface Sighting {
  readonly id: string;
  readonly key: C2Key;
  readonly reporterId: string;
}

/** The running counts of one C2 while a batch of reports is counted. */
interface Tally {
  readonly key: C2Key;
  isKnownHost: boolean;
  isFrequentHost: boolean;
  first: { readonly id: string; readonly reporterId: string } | undefined;
  /** 0 until the second report: `c2_reporter` has no row for a C2 with one report. */
  reports: number;
  reporters: number;
  recurrence: boolean;
  /** Reports by reporter, for the reporters of this batch and the first one. */
  readonly counts: Map<string, number>;
  readonly changed: Set<string>;
}

/** Counts the reports of a batch, in order. The caller has locked their feeds. */
export function* countSightings(sightings: readonly Sighting[]): UnitOfWork<readonly C2History[]> {
  const tallies = yield* loadTallies(sightings);
  const histories = sightings.flatMap((sighting) => {
    const tally = tallies.get(c2KeyText(sighting.key));
    return tally === undefined ? [] : count(tally, sighting);
  });
  yield* each(putCount, [...tallies.values()].flatMap(changedCounts));
  return histories;
}

function* loadTallies(sightings: readonly Sighting[]): UnitOfWork<ReadonlyMap<string, Tally>> {
  const tallies = new Map<string, Tally>();
  for (const { key } of sightings) tallies.set(c2KeyText(key), emptyTally(key));
  const all = [...tallies.values()];
  const ofHosts = countByHost(sightings);
  const firsts = yield* each(
    selectFirst,
    all.map(({ key }) => ({
      ...key,
      spare: Math.max(0, MAX_OF_RARE_HOST - (ofHosts.get(hostText(key)) ?? 0)),
    })),
  );
  for (const [index, tally] of all.entries()) {
    const { id, reporter_id, of_host, beyond_rare } = firsts[index]?.[0] ?? {};
    if (id && reporter_id) tally.first = { id, reporterId: reporter_id };
    tally.isKnownHost = typeof of_host === 'number';
    tally.isFrequentHost =
      typeof beyond_rare === 'number' || (ofHosts.get(hostText(tally.key)) ?? 0) > MAX_OF_RARE_HOST;
  }
  const repeated = all.filter(({ first }) => first !== undefined);
  yield* loadCounts(repeated);
  yield* loadReporters(repeated, sightings);
  return tallies;
}

/** The reports of each host in a batch. */
function countByHost(sightings: readonly Sighting[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of sightings) {
    const text = hostText(key);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

function hostText({ service_id, host }: C2Key): string {
  return `${service_id} ${host}`;
}

function* loadCounts(tallies: readonly Tally[]): UnitOfWork<void> {
  const keys = tallies.map(({ key }) => key);
  const [totals, actioned] = yield* inParallel(
    each(selectCounts, keys),
    each(selectActioned, keys),
  );
  for (const [index, tally] of tallies.entries()) {
    tally.reports = totals[index]?.[0]?.reports ?? 0;
    tally.reporters = totals[index]?.[0]?.reporters ?? 0;
    tally.recurrence = (actioned[index]?.length ?? 0) > 0;
  }
}

function* loadReporters(
  tallies: readonly Tally[],
  sightings: readonly Sighting[],
): UnitOfWork<void> {
  if (tallies.length === 0) return;
  // A C2 without counts has no row in `c2_reporter`.
  const counted = new Map(
    tallies.filter(({ reports }) => reports > 0).map((tally) => [c2KeyText(tally.key), tally]),
  );
  const requested = new Map<string, { readonly tally: Tally; readonly reporterId: string }>();
  for (const { key, reporterId } of sightings) {
    const tally = counted.get(c2KeyText(key));
    if (tally !== undefined)
      requested.set(`${reporterId} ${c2KeyText(key)}`, { tally, reporterId });
  }
  const pairs = [...requested.values()];
  const found = yield* each(
    selectCount,
    pairs.map(({ tally, reporterId }) => ({ ...tally.key, reporter_id: reporterId })),
  );
  for (const [index, { tally, reporterId }] of pairs.entries())
    tally.counts.set(reporterId, found[index]?.[0]?.reports ?? 0);
}

function count(tally: Tally, { id, reporterId }: Sighting): C2History {
  const { first, isKnownHost, isFrequentHost } = tally;
  if (first === undefined) {
    tally.first = { id, reporterId };
    const none = { firstSeenId: undefined, sightings: 1, corroboration: 0, recurrence: false };
    return { ...none, isKnownHost, isFrequentHost };
  }
  // This is the second report; the first was not counted when it was created.
  if (tally.reports === 0) addOne(tally, first.reporterId);
  addOne(tally, reporterId);
  return {
    firstSeenId: first.id,
    sightings: tally.reports,
    corroboration: tally.reporters - 1,
    recurrence: tally.recurrence,
    isKnownHost,
    isFrequentHost,
  };
}

function addOne(tally: Tally, reporterId: string): void {
  const before = tally.counts.get(reporterId) ?? 0;
  if (before === 0) tally.reporters += 1;
  tally.reports += 1;
  tally.counts.set(reporterId, before + 1);
  tally.changed.add(reporterId);
}

function changedCounts({ key, counts, changed }: Tally): readonly ReporterCount[] {
  return [...changed].map((reporterId) => ({
    ...key,
    reporter_id: reporterId,
    reports: counts.get(reporterId) ?? 1,
  }));
}

function emptyTally(key: C2Key): Tally {
  const empty = { first: undefined, reports: 0, reporters: 0, recurrence: false };
  const host = { isKnownHost: false, isFrequentHost: false };
  return { key, ...host, ...empty, counts: new Map(), changed: new Set() };
}

/** Subtracts a deleted report from the counts. */
export function* uncountSighting(key: C2Key, reporterId: string): UnitOfWork<void> {
  const reporter = { ...key, reporter_id: reporterId };
  if ((yield* row(removeOne, reporter)) === undefined) yield* rows(removeReporter, reporter);
}
