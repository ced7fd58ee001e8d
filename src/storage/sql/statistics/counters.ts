import { sql } from 'kysely';
import type { ReportStatus } from '../../../domain/reports/desk.ts';
import {
  noStatuses,
  type StatusCounts,
  timeToActBucket,
} from '../../../domain/reports/statistics.ts';
import { ACTED_COLUMNS, DAY_COLUMNS, STATUS_COLUMNS } from '../../statistic-tables.ts';
import { all, each, inParallel, query, type UnitOfWork } from '../../unit-of-work.ts';
import { unindexedNumber } from '../unindexed-columns.ts';
import { scopeOfAll } from './scopes.ts';

type DayColumn = (typeof DAY_COLUMNS)[number];
type Day = Record<DayColumn, number>;

/** Adds to each of the columns, in the row that exists already. */
function added<Column extends string>(table: string, columns: readonly Column[]) {
  return Object.fromEntries(
    columns.map((column) => [
      column,
      sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
    ]),
  ) as Record<Column, ReturnType<typeof sql<number>>>;
}

const addTotals = query<StatusCounts & { scope: number }>()((db, parameter) =>
  db
    .insertInto('statistic_total')
    .values(all(parameter, ['scope', ...STATUS_COLUMNS]))
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet(added('statistic_total', STATUS_COLUMNS)),
    ),
);

const addDay = query<Day & { scope: number; day: string }>()((db, parameter) =>
  db
    .insertInto('statistic_day')
    .values(all(parameter, ['scope', 'day', ...DAY_COLUMNS]))
    .onConflict((conflict) =>
      conflict.columns(['scope', 'day']).doUpdateSet(added('statistic_day', DAY_COLUMNS)),
    ),
);

/** For creates, which change no other counter of a day. */
const addReported = query<{ scope: number; day: string; reported: number }>()((db, parameter) =>
  db
    .insertInto('statistic_day')
    .values(all(parameter, ['scope', 'day', 'reported']))
    .onConflict((conflict) =>
      conflict.columns(['scope', 'day']).doUpdateSet(added('statistic_day', ['reported'])),
    ),
);

const addFamily = query<{ scope: number; name: string; reports: number }>()((db, parameter) =>
  db
    .insertInto('statistic_family')
    .values(all(parameter, ['scope', 'name', 'reports']))
    .onConflict((conflict) =>
      conflict.columns(['scope', 'name']).doUpdateSet(added('statistic_family', ['reports'])),
    ),
);

const deleteUnusedFamily = query<{ scope: number; name: string }>()((db, parameter) =>
  db
    .deleteFrom('statistic_family')
    .where('scope', '=', parameter.scope)
    .where('name', '=', parameter.name)
    // Not `= 0`: without statistics, PostgreSQL would expect few such rows and scan for them.
    .where(unindexedNumber('reports'), '<=', 0),
);

/** What a unit of work adds to the counters of one scope. */
interface ScopeChange {
  readonly totals: StatusCounts;
  readonly days: Map<string, Partial<Day>>;
  readonly families: Map<string, number>;
}

export interface CountedReport {
  /** ISO text. */
  readonly reported_at: string;
  readonly name: string;
  readonly status: ReportStatus;
}

/** The first final answer of the desk. */
export interface Answer {
  /** ISO text. */
  readonly actedAt: string;
  readonly bucket: number;
}

export function answerOf(reportedAt: string, actedAt: string): Answer {
  return { actedAt, bucket: timeToActBucket(new Date(reportedAt), new Date(actedAt)) };
}

/**
 * Collects what the changes of a unit of work add to the counters, so that each row is written
 * once. The caller has locked the feeds. The rows of all feeds together are shared by feeds: a unit
 * writes them once, in one order, and after everything but rows of the locked feeds. So others wait
 * for them briefly, and two units cannot deadlock.
 */
export class StatisticCounts {
  readonly #feeds = new Map<number, ScopeChange>();

  /** `by` is -1 for a report that is deleted. */
  addReport(serviceId: number, { reported_at, name, status }: CountedReport, by = 1): void {
    const feed = scopeIn(this.#feeds, serviceId);
    feed.totals[status] += by;
    addTo(feed.families, name, by);
    addToDay(feed, reported_at, 'reported', by);
  }

  /** The status of a report that is counted already. */
  changeStatus(serviceId: number, from: ReportStatus, to: ReportStatus): void {
    const { totals } = scopeIn(this.#feeds, serviceId);
    totals[from] -= 1;
    totals[to] += 1;
  }

  /** A status that was set at that time; counted if it is final. */
  addStatusSet(serviceId: number, status: ReportStatus, at: string, by = 1): void {
    if (status === 'open' || status === 'acknowledged') return;
    addToDay(scopeIn(this.#feeds, serviceId), at, status, by);
  }

  addAnswer(serviceId: number, { actedAt, bucket }: Answer, by = 1): void {
    const column = ACTED_COLUMNS[bucket];
    if (column === undefined) throw new Error(`no such bucket: ${bucket}`);
    addToDay(scopeIn(this.#feeds, serviceId), actedAt, column, by);
  }

  rename(serviceId: number, before: string, after: string): void {
    const { families } = scopeIn(this.#feeds, serviceId);
    addTo(families, before, -1);
    addTo(families, after, 1);
  }

  /** A second call writes what was added since. */
  *write(): UnitOfWork<void> {
    if (this.#feeds.size === 0) return;
    const scopes = [...withAll(this.#feeds)].sort(([one], [other]) => one - other);
    this.#feeds.clear();
    const families = scopes.flatMap(([scope, change]) => familiesOf(scope, change));
    yield* inParallel(
      each(
        addTotals,
        scopes.flatMap(([scope, { totals }]) => (isZero(totals) ? [] : { scope, ...totals })),
      ),
      writeDays(scopes),
      each(addFamily, families),
    );
    yield* each(
      deleteUnusedFamily,
      families.flatMap(({ scope, name, reports }) => (reports < 0 ? { scope, name } : [])),
    );
  }
}

function* writeDays(scopes: readonly (readonly [number, ScopeChange])[]): UnitOfWork<void> {
  const days = scopes.flatMap(([scope, change]) =>
    [...change.days]
      .sort(byKey)
      .flatMap(([day, counts]) => (isZero(counts) ? [] : { scope, day, counts })),
  );
  if (days.every(({ counts }) => isOnlyReported(counts))) {
    yield* each(
      addReported,
      days.map(({ scope, day, counts }) => ({ scope, day, reported: counts.reported ?? 0 })),
    );
    return;
  }
  yield* each(
    addDay,
    days.map(({ scope, day, counts }) => ({ scope, day, ...NO_DAY, ...counts })),
  );
}

const NO_DAY = Object.fromEntries(DAY_COLUMNS.map((column) => [column, 0])) as Day;

function isOnlyReported(counts: Partial<Day>): boolean {
  return Object.keys(counts).every((column) => column === 'reported');
}

function isZero(counts: Partial<Record<string, number>>): boolean {
  return Object.values(counts).every((count) => count === 0);
}

function familiesOf(scope: number, { families }: ScopeChange) {
  return [...families]
    .filter(([, reports]) => reports !== 0)
    .sort(byKey)
    .map(([name, reports]) => ({ scope, name, reports }));
}

/** The same order in every unit, so that two of them cannot deadlock. */
function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The changes of the feeds, and those of all feeds together. */
function withAll(feeds: ReadonlyMap<number, ScopeChange>): ReadonlyMap<number, ScopeChange> {
  const scopes = new Map(feeds);
  const [only] = feeds;
  // The change of a single feed is also that of all feeds.
  if (feeds.size === 1 && only !== undefined) return scopes.set(scopeOfAll(only[0]), only[1]);
  for (const [serviceId, change] of feeds)
    addChange(scopeIn(scopes, scopeOfAll(serviceId)), change);
  return scopes;
}

function addChange(whole: ScopeChange, { totals, families, days }: ScopeChange): void {
  for (const status of STATUS_COLUMNS) whole.totals[status] += totals[status];
  for (const [name, reports] of families) addTo(whole.families, name, reports);
  for (const [day, counts] of days)
    for (const column of DAY_COLUMNS)
      if (counts[column] !== undefined) addToDay(whole, day, column, counts[column]);
}

function scopeIn(scopes: Map<number, ScopeChange>, scope: number): ScopeChange {
  let change = scopes.get(scope);
  if (change === undefined) {
    change = { totals: noStatuses(), days: new Map(), families: new Map() };
    scopes.set(scope, change);
  }
  return change;
}

function addTo(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;

function addToDay({ days }: ScopeChange, at: string, column: DayColumn, by: number): void {
  const day = at.slice(0, DAY_LENGTH);
  const counts = days.get(day) ?? {};
  counts[column] = (counts[column] ?? 0) + by;
  days.set(day, counts);
}
