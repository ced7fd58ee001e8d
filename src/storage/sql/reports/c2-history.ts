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
import { C2_KEY_COLUMNS, type C2Key, hasC2Key } from './c2-key.ts';
import { type C2History, countOne, type Sighting, type Tally, talliesOf } from './c2-tally.ts';
import { MAX_OF_RARE_HOST } from './host-reports.ts';
import { isRejectedC2 } from './rejected-c2s.ts';

const REPORTERS_OF_C2 = sql`c2_reporter as reporter
    where reporter.service_id = report.service_id and reporter.host = report.host and reporter.port = report.port`;

/** Every update of a report also sets these columns: they are current as of its last change. */
export const CURRENT_C2_COUNTS = {
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

/**
 * The first report of a C2, whether its host has reports and how many, and whether the C2 is
 * rejected: one statement costs less than four, and subqueries less than a join.
 */
const selectFirst = query<FirstOfC2>()((db, parameter) => {
  const ofHost = sql`from report where service_id = ${parameter.service_id} and host = ${parameter.host}`;
  return db.selectNoFrom([
    sql<number | null>`(
      select number from report where ${hasC2Key(parameter)} order by number limit 1
    )`.as('first'),
    sql<number | null>`(select port ${ofHost} order by port limit 1)`.as('of_host'),
    // An expression: a bound offset would make SQLite plan the statement at each execution.
    sql<number | null>`(
      select port ${ofHost} order by port limit 1 offset (${parameter.spare} + 0)
    )`.as('beyond_rare'),
    isRejectedC2(parameter).as('rejected'),
  ]);
});

const selectReporter = query<{ number: number }>()((db, parameter) =>
  db.selectFrom('report').select(['id', 'reporter_id']).where('number', '=', parameter.number),
);

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

/** Counts the reports of a batch, in order. The caller has locked their feeds. */
export function* countSightings(sightings: readonly Sighting[]): UnitOfWork<readonly C2History[]> {
  const { histories, tallies } = yield* tallySightings(sightings);
  yield* each(putCount, tallies.flatMap(changedCounts));
  return histories;
}

/** The history that a report would have. Writes nothing. */
export function* previewSighting(sighting: Sighting): UnitOfWork<C2History & { own: number }> {
  const { histories, tallies } = yield* tallySightings([sighting]);
  const own = tallies[0]?.counts.get(sighting.reporterId) ?? 1;
  // One for each sighting.
  return { ...(histories[0] as C2History), own: own - 1 };
}

interface Tallied {
  readonly histories: readonly C2History[];
  readonly tallies: readonly Tally[];
}

function* tallySightings(sightings: readonly Sighting[]): UnitOfWork<Tallied> {
  const tallies = talliesOf(sightings);
  const distinct = [...new Set(tallies)];
  yield* loadFirsts(distinct);
  const repeated = distinct.filter(({ firstNumber }) => firstNumber !== undefined);
  yield* loadCounts(repeated);
  if (repeated.length > 0) yield* loadReporters(tallies, sightings);
  // One for each of `sightings`.
  const histories = sightings.map((sighting, index) => countOne(tallies[index] as Tally, sighting));
  return { histories, tallies: distinct };
}

function* loadFirsts(tallies: readonly Tally[]): UnitOfWork<void> {
  const firsts = yield* each(
    selectFirst,
    tallies.map(({ key: { service_id, host, port }, host: { inBatch } }) => ({
      service_id,
      host,
      port,
      spare: Math.max(0, MAX_OF_RARE_HOST - inBatch),
    })),
  );
  for (const [index, tally] of tallies.entries()) {
    const { first, of_host, beyond_rare, rejected } = firsts[index]?.[0] ?? {};
    tally.firstNumber = first ?? undefined;
    tally.isRejected = typeof rejected === 'number';
    tally.isKnownHost = typeof of_host === 'number';
    tally.isFrequentHost = typeof beyond_rare === 'number' || tally.host.inBatch > MAX_OF_RARE_HOST;
  }
}

function* loadCounts(tallies: readonly Tally[]): UnitOfWork<void> {
  const keys = tallies.map(({ key }) => key);
  const [reports, totals, actioned] = yield* inParallel(
    each(
      selectReporter,
      tallies.map(({ firstNumber = 0 }) => ({ number: firstNumber })),
    ),
    each(selectCounts, keys),
    each(selectActioned, keys),
  );
  for (const [index, tally] of tallies.entries()) {
    const [first] = reports[index] ?? [];
    tally.first = first && { id: first.id, reporterId: first.reporter_id };
    tally.reports = totals[index]?.[0]?.reports ?? 0;
    tally.reporters = totals[index]?.[0]?.reporters ?? 0;
    tally.recurrence = (actioned[index]?.length ?? 0) > 0;
  }
}

/** The counts of the reporters of the batch. A C2 without counts has no row in `c2_reporter`. */
function* loadReporters(
  tallies: readonly Tally[],
  sightings: readonly Sighting[],
): UnitOfWork<void> {
  const pairs: { readonly tally: Tally; readonly reporterId: string }[] = [];
  for (const [index, { reporterId }] of sightings.entries()) {
    const tally = tallies[index];
    if (tally === undefined || tally.reports === 0 || tally.counts.has(reporterId)) continue;
    tally.counts.set(reporterId, 0);
    pairs.push({ tally, reporterId });
  }
  const found = yield* each(
    selectCount,
    pairs.map(({ tally, reporterId }) => ({ ...tally.key, reporter_id: reporterId })),
  );
  for (const [index, { tally, reporterId }] of pairs.entries())
    tally.counts.set(reporterId, found[index]?.[0]?.reports ?? 0);
}

function changedCounts({ key, counts, changed }: Tally): readonly ReporterCount[] {
  return [...changed].map((reporterId) => ({
    ...key,
    reporter_id: reporterId,
    reports: counts.get(reporterId) ?? 1,
  }));
}

/** Subtracts a deleted report from the counts. */
export function* uncountSighting(key: C2Key, reporterId: string): UnitOfWork<void> {
  const reporter = { ...key, reporter_id: reporterId };
  if ((yield* row(removeOne, reporter)) === undefined) yield* rows(removeReporter, reporter);
}
