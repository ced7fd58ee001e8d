import {
  DAY_COLUMNS,
  type DayColumn,
  TOTAL_COLUMNS,
  type TotalColumn,
} from '../../schema/statistic-tables.ts';
import { all, query } from '../../units/query.ts';
import { unindexedNumber } from '../../units/unindexed-columns.ts';
import { allInParallel, eachDeferred, type UnitOfWork } from '../../units/unit-of-work.ts';
import { added } from './added.ts';
import { scopeOfAll } from './scopes.ts';

type Totals = Record<TotalColumn, number>;
type Day = Record<DayColumn, number>;

const addTotals = query<Totals & { scope: number }>()((db, parameter) =>
  db
    .insertInto('statistic_total')
    .values(all(parameter, ['scope', ...TOTAL_COLUMNS]))
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet(added('statistic_total', TOTAL_COLUMNS)),
    ),
);

/** For most creates, which change no other counter of a total. */
const addOpen = query<{ scope: number; open: number }>()((db, parameter) =>
  db
    .insertInto('statistic_total')
    .values(all(parameter, ['scope', 'open']))
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet(added('statistic_total', ['open'])),
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
export interface ScopeChange {
  readonly totals: Totals;
  readonly days: Map<string, Partial<Day>>;
  readonly families: Map<string, number>;
}

export type ScopeChanges = Map<number, ScopeChange>;

export function scopeIn(scopes: ScopeChanges, scope: number): ScopeChange {
  let change = scopes.get(scope);
  if (change === undefined) {
    change = { totals: zeros(TOTAL_COLUMNS), days: new Map(), families: new Map() };
    scopes.set(scope, change);
  }
  return change;
}

export function addTo<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;

export function addToDay({ days }: ScopeChange, at: string, column: DayColumn, by: number): void {
  const day = at.slice(0, DAY_LENGTH);
  const counts = days.get(day) ?? {};
  counts[column] = (counts[column] ?? 0) + by;
  days.set(day, counts);
}

/** Writes the changes of the feeds, and those of all feeds together. */
export function* writeScopes(feeds: ReadonlyMap<number, ScopeChange>): UnitOfWork<void> {
  const scopes = [...withAll(feeds)].sort(([one], [other]) => one - other);
  const families = scopes.flatMap(([scope, change]) => familiesOf(scope, change));
  yield* allInParallel([writeTotals(scopes), writeDays(scopes), eachDeferred(addFamily, families)]);
  yield* eachDeferred(
    deleteUnusedFamily,
    families.flatMap(({ scope, name, reports }) => (reports < 0 ? { scope, name } : [])),
  );
}

type SortedScopes = readonly (readonly [number, ScopeChange])[];

function* writeTotals(scopes: SortedScopes): UnitOfWork<void> {
  const changed = scopes.filter(([, { totals }]) => !isZero(totals));
  if (changed.every(([, { totals }]) => isOnly('open', totals)))
    yield* eachDeferred(
      addOpen,
      changed.map(([scope, { totals }]) => ({ scope, open: totals.open })),
    );
  else
    yield* eachDeferred(
      addTotals,
      changed.map(([scope, { totals }]) => ({ scope, ...totals })),
    );
}

function* writeDays(scopes: SortedScopes): UnitOfWork<void> {
  const days = scopes.flatMap(([scope, change]) =>
    [...change.days]
      .sort(byKey)
      .flatMap(([day, counts]) => (isZero(counts) ? [] : { scope, day, counts })),
  );
  if (days.every(({ counts }) => isOnly('reported', counts)))
    yield* eachDeferred(
      addReported,
      days.map(({ scope, day, counts }) => ({ scope, day, reported: counts.reported ?? 0 })),
    );
  else
    yield* eachDeferred(
      addDay,
      days.map(({ scope, day, counts }) => ({ scope, day, ...NO_DAY, ...counts })),
    );
}

const NO_DAY: Day = zeros(DAY_COLUMNS);

function zeros<Column extends string>(columns: readonly Column[]): Record<Column, number> {
  return Object.fromEntries(columns.map((column) => [column, 0])) as Record<Column, number>;
}

type Counts = Partial<Record<string, number>>;

export function isOnly(column: string, counts: Counts): boolean {
  return Object.entries(counts).every(([other, count]) => other === column || count === 0);
}

export function isZero(counts: Counts): boolean {
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
  for (const column of TOTAL_COLUMNS) whole.totals[column] += totals[column];
  for (const [name, reports] of families) addTo(whole.families, name, reports);
  for (const [day, counts] of days)
    for (const column of DAY_COLUMNS)
      if (counts[column] !== undefined) addToDay(whole, day, column, counts[column]);
}
