import { type RawBuilder, sql } from 'kysely';
import { all, ONE, query } from '../../units/query.ts';
import { each, eachDeferred, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { C2_KEY_COLUMNS, type C2Key, hasC2Key } from './c2-key.ts';
import { type C2History, countOne, type Sighting, type Tally, talliesOf } from './c2-tally.ts';
import { MAX_OF_RARE_HOST } from './host-reports.ts';
import { isRejectedC2 } from './rejected-c2s.ts';
import { newestUnresolved } from './siblings.ts';

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

interface Sighter extends C2Key {
  readonly reporter_id: string;
}

/**
 * All that a create needs to know of a C2 and its host, in one statement: on PostgreSQL its feed is
 * locked during each round trip. Most C2s are new, so the subqueries in `case` run only for others.
 * The inner limit keeps SQLite from merging the queries, which would repeat the inner subqueries.
 */
const selectHistory = query<Sighter>()((db, parameter) => {
  const ofC2 = hasC2Key(parameter);
  const ofHost = sql`service_id = ${parameter.service_id} and host = ${parameter.host}`;
  const ifRepeated = <Value>(value: RawBuilder<unknown>) =>
    sql<Value | null>`case when limited.first_number is not null then (${value}) end`;
  return db
    .selectFrom(
      sql<{ first_number: number | null; of_host: number }>`(
        select
          (select number from report where ${ofC2} order by number limit 1) as first_number,
          (select count(*) from (
            select port from report where ${ofHost} order by port
            limit ${sql.lit(MAX_OF_RARE_HOST + 1)}
          ) as counted) as of_host
        limit 1
      )`.as('limited'),
    )
    .select([
      'limited.of_host',
      isRejectedC2(parameter).as('rejected'),
      ifRepeated<string>(sql`select id from report where number = limited.first_number`).as(
        'first_id',
      ),
      ifRepeated<string>(
        sql`select reporter_id from report where number = limited.first_number`,
      ).as('first_reporter'),
      ifRepeated<number>(sql`select sum(reports) from c2_reporter where ${ofC2}`).as('reports'),
      ifRepeated<number>(sql`select count(*) from c2_reporter where ${ofC2}`).as('reporters'),
      ifRepeated<number>(
        sql`select reports from c2_reporter where ${ofC2} and reporter_id = ${parameter.reporter_id}`,
      ).as('own_reports'),
      // A literal, as in the partial index: a parameter would not match the index.
      ifRepeated<number>(
        sql`select number from report where ${ofC2} and status = 'actioned' limit 1`,
      ).as('actioned'),
      ifRepeated<string>(
        sql`select min(expires_at) from ${newestUnresolved(parameter)} as sibling`,
      ).as('soonest_expiry'),
      sql<number | null>`case when limited.of_host > ${sql.lit(MAX_OF_RARE_HOST)} then (
        select number from host_report where ${ofHost} order by number limit 1
      ) end`.as('listed'),
    ])
    .limit(ONE);
});

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

/** The reports that a batch is about to write, and what is known of their C2s. */
export class Sightings {
  readonly #tallies: ReadonlyMap<Sighting, Tally>;

  constructor(sightings: readonly Sighting[]) {
    const tallies = talliesOf(sightings);
    // One for each of `sightings`.
    this.#tallies = new Map(sightings.map((one, index) => [one, tallies[index] as Tally]));
  }

  /** One step. The caller has locked the feeds, or is about to in the same step. */
  *load(): UnitOfWork<void> {
    const pairs: { readonly tally: Tally; readonly reporterId: string }[] = [];
    for (const [{ reporterId }, tally] of this.#tallies) {
      if (tally.counts.has(reporterId)) continue;
      tally.counts.set(reporterId, 0);
      pairs.push({ tally, reporterId });
    }
    const found = yield* each(
      selectHistory,
      pairs.map(({ tally: { key }, reporterId }) => ({
        service_id: key.service_id,
        host: key.host,
        port: key.port,
        reporter_id: reporterId,
      })),
    );
    for (const [index, { tally, reporterId }] of pairs.entries()) {
      const row = found[index]?.[0];
      if (row !== undefined) setTally(tally, reporterId, row);
    }
  }

  /** Counts those that are reported, in order. */
  count(reported: readonly Sighting[]): readonly C2History[] {
    for (const sighting of reported) this.#tallyOf(sighting).host.inBatch += 1;
    return reported.map((sighting) => countOne(this.#tallyOf(sighting), sighting));
  }

  /** The reports that its reporter has of the C2, after it was counted; 0 if it is the first. */
  ownReports(sighting: Sighting): number {
    return this.#tallyOf(sighting).counts.get(sighting.reporterId) ?? 0;
  }

  /** Whether the desk of the feed has rejected the C2. */
  isRejected(sighting: Sighting): boolean {
    return this.#tallyOf(sighting).isRejected;
  }

  *write(): UnitOfWork<void> {
    yield* eachDeferred(putCount, [...new Set(this.#tallies.values())].flatMap(changedCounts));
  }

  #tallyOf(sighting: Sighting): Tally {
    const tally = this.#tallies.get(sighting);
    if (tally === undefined) throw new Error('a report is counted that was not loaded');
    return tally;
  }
}

interface HistoryRow {
  readonly of_host: number;
  readonly rejected: number | null;
  readonly first_id: string | null;
  readonly first_reporter: string | null;
  readonly reports: number | null;
  readonly reporters: number | null;
  readonly own_reports: number | null;
  readonly actioned: number | null;
  readonly soonest_expiry: string | null;
  readonly listed: number | null;
}

function setTally(tally: Tally, reporterId: string, row: HistoryRow): void {
  tally.host.stored = row.of_host;
  tally.host.isListed = row.listed !== null;
  tally.isRejected = row.rejected !== null;
  if (row.first_id === null || row.first_reporter === null) return;
  tally.first = { id: row.first_id, reporterId: row.first_reporter };
  tally.reports = row.reports ?? 0;
  tally.reporters = row.reporters ?? 0;
  tally.recurrence = row.actioned !== null;
  tally.soonestExpiry = row.soonest_expiry === null ? undefined : new Date(row.soonest_expiry);
  tally.counts.set(reporterId, row.own_reports ?? 0);
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
