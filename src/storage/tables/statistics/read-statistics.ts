import { sql } from 'kysely';
import { foldName, joinSpellings, upperName } from '../../../domain/reports/spellings.ts';
import {
  type DayCounts,
  type FamilyCount,
  type FeedCounts,
  MAX_FAMILIES,
  noStatuses,
  type StatusCounts,
} from '../../../domain/reports/statistics.ts';
import type { FeedScope } from '../../../ports/feed-store.ts';
import { ACTED_COLUMNS, STATUS_COLUMNS } from '../../schema/statistic-tables.ts';
import { textRows, toJsonArray } from '../../units/json-arrays.ts';
import { query } from '../../units/query.ts';
import {
  allInParallel,
  each,
  inParallel,
  row,
  rows,
  type UnitOfWork,
} from '../../units/unit-of-work.ts';
import { countedFrom } from './fill-statistics.ts';
import { ALL_SCOPES } from './scopes.ts';

const selectServiceId = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
);

const selectTotals = query<{ scope: number }>()((db, parameter) =>
  db.selectFrom('statistic_total').select(STATUS_COLUMNS).where('scope', '=', parameter.scope),
);

const selectOpen = query<{ slug: string }>()((db, parameter) =>
  db
    .selectFrom('service')
    .innerJoin('statistic_total', 'statistic_total.scope', 'service.id')
    .select('statistic_total.open')
    .where('service.slug', '=', parameter.slug),
);

/** The counters of a day that are shown. */
const SHOWN = ['reported', 'actioned', 'rejected', 'expired', ...ACTED_COLUMNS] as const;

/** The day, then `SHOWN`. */
const selectDays = query<{ scope: number; from: string }, [string, ...number[]]>('arrays')(
  (db, parameter) =>
    db
      .selectFrom('statistic_day')
      .select(['day', ...SHOWN])
      .where('scope', '=', parameter.scope)
      .where('day', '>=', parameter.from)
      .orderBy('day'),
);

const selectTop = query<{ scope: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('statistic_family')
    .select(['name', 'reports'])
    // As in the index by frequency.
    .where(sql<number>`scope + 0`, '=', parameter.scope)
    .orderBy('reports', 'desc')
    .orderBy('name')
    .limit(parameter.limit),
);

const selectFamilies = query<{ scope: number; names: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(textRows(parameter.names, dialect).as('wanted'))
    .select('wanted.value as name')
    .select(({ selectFrom }) =>
      selectFrom('statistic_family')
        .select('reports')
        .where('scope', '=', parameter.scope)
        .whereRef('name', '=', 'wanted.value')
        .as('reports'),
    ),
);

/** The names that are read from each scope, and those of them whose spellings are added. */
const TOP_OF_SCOPE = 60;
const MAX_CANDIDATES = 40;

/** Reads the rows of the days and a fixed number of others, however many reports there are. */
export function* readStatistics(scope: FeedScope, from: string): UnitOfWork<FeedCounts> {
  const scopes = scope === undefined ? ALL_SCOPES : yield* scopesOf(scope);
  const { totals, days, families, position } = yield* inParallel({
    totals: allInParallel(scopes.map((one) => row(selectTotals, { scope: one }))),
    days: allInParallel(scopes.map((one) => rows(selectDays, { scope: one, from }))),
    families: topFamilies(scopes),
    position: countedFrom(),
  });
  const summed = sumDays(days.flat());
  return {
    days: [...summed].sort(byDay).map(([day, counts]) => toDay(day, counts)),
    statuses: sumTotals(totals),
    families,
    timeToAct: ACTED_COLUMNS.map((_, index) =>
      [...summed.values()].reduce((sum, counts) => sum + (counts[FIRST_ACTED + index] ?? 0), 0),
    ),
    isComplete: position === 0,
  };
}

/** Reads one row for each service. */
export function* readOpenReports(
  slugs: readonly string[],
): UnitOfWork<readonly number[] | undefined> {
  if ((yield* countedFrom()) !== 0) return undefined;
  const found = yield* each(
    selectOpen,
    slugs.map((slug) => ({ slug })),
  );
  return found.map(([total]) => total?.open ?? 0);
}

function* scopesOf(slug: string): UnitOfWork<readonly number[]> {
  const service = yield* row(selectServiceId, { slug });
  return service === undefined ? [] : [service.id];
}

const FIRST_ACTED = SHOWN.length - ACTED_COLUMNS.length;

function sumDays(days: readonly [string, ...number[]][]): Map<string, number[]> {
  const summed = new Map<string, number[]>();
  for (const [day, ...counts] of days) {
    const sums = summed.get(day);
    if (sums === undefined) summed.set(day, counts);
    else for (const [index, count] of counts.entries()) sums[index] = (sums[index] ?? 0) + count;
  }
  return summed;
}

function byDay([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function toDay(day: string, counts: readonly number[]): DayCounts {
  const [reported = 0, actioned = 0, rejected = 0, expired = 0] = counts;
  return { day, reported, actioned, rejected, expired };
}

function sumTotals(totals: readonly (Readonly<StatusCounts> | undefined)[]): StatusCounts {
  const sums = noStatuses();
  for (const total of totals)
    for (const status of STATUS_COLUMNS) sums[status] += total?.[status] ?? 0;
  return sums;
}

/**
 * The most frequent names of each scope are candidates, and the counts of the best candidates are
 * added over the scopes and over their spellings. Of a scope with more names, the spellings that
 * are among its most frequent names and those in lower and upper case are counted: a rare spelling
 * such as `xWorM` may be missed. So is a name that is frequent in total, but in none of the lists.
 */
function* topFamilies(scopes: readonly number[]): UnitOfWork<readonly FamilyCount[]> {
  const tops = yield* allInParallel(
    scopes.map((scope) => rows(selectTop, { scope, limit: TOP_OF_SCOPE })),
  );
  const candidates = join(tops.flat())
    .slice(0, scopes.length === 1 ? MAX_FAMILIES : MAX_CANDIDATES)
    .map(({ name }) => foldName(name));
  const spellings = spellingsOf(new Set(candidates), tops.flat());
  const counts = yield* allInParallel(
    // A short list is complete: it need not be read again.
    scopes.map((scope, index) =>
      (tops[index]?.length ?? 0) < TOP_OF_SCOPE
        ? known(tops[index] ?? [], spellings)
        : rows(selectFamilies, { scope, names: toJsonArray([...spellings]) }),
    ),
  );
  return join(counts.flat()).slice(0, MAX_FAMILIES);
}

function spellingsOf(
  candidates: ReadonlySet<string>,
  seen: readonly { readonly name: string }[],
): ReadonlySet<string> {
  const spelled = seen.map(({ name }) => name).filter((name) => candidates.has(foldName(name)));
  return new Set([...spelled, ...candidates, ...[...candidates].map(upperName)]);
}

function* known(
  top: readonly FamilyCount[],
  names: ReadonlySet<string>,
): UnitOfWork<readonly FamilyCount[]> {
  return top.filter(({ name }) => names.has(name));
}

/** The most frequent first; ties by name. */
function join(
  counts: readonly { readonly name: string; readonly reports: number | null }[],
): readonly FamilyCount[] {
  const sums = new Map<string, number>();
  for (const { name, reports } of counts) sums.set(name, (sums.get(name) ?? 0) + (reports ?? 0));
  const spelled = [...sums].map(([name, reports]) => ({ name, reports }));
  return joinSpellings(
    spelled,
    ({ reports }) => reports,
    (one, other) => ({ ...one, reports: one.reports + other.reports }),
  ).toSorted((one, other) => other.reports - one.reports || (one.name < other.name ? -1 : 1));
}
