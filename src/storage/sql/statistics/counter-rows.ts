import { sql } from 'kysely';
import type { ReporterCounts } from '../../../domain/trust/outcome.ts';
import {
  DAY_COLUMNS,
  type DayColumn,
  REPORTER_COLUMNS,
  TOTAL_COLUMNS,
  type TotalColumn,
} from '../../statistic-tables.ts';
import { all, query } from '../../unit-of-work.ts';
import { unindexedNumber } from '../unindexed-columns.ts';

/** The statements that add to the rows of counters. */

export type Totals = Record<TotalColumn, number>;
export type Day = Record<DayColumn, number>;

/** Adds to each of the columns, in the row that exists already. */
function added<Column extends string>(table: string, columns: readonly Column[]) {
  return Object.fromEntries(
    columns.map((column) => [
      column,
      sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
    ]),
  ) as Record<Column, ReturnType<typeof sql<number>>>;
}

export const addTotals = query<Totals & { scope: number }>()((db, parameter) =>
  db
    .insertInto('statistic_total')
    .values(all(parameter, ['scope', ...TOTAL_COLUMNS]))
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet(added('statistic_total', TOTAL_COLUMNS)),
    ),
);

/** For most creates, which change no other counter of a total. */
export const addOpen = query<{ scope: number; open: number }>()((db, parameter) =>
  db
    .insertInto('statistic_total')
    .values(all(parameter, ['scope', 'open']))
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet(added('statistic_total', ['open'])),
    ),
);

export const addDay = query<Day & { scope: number; day: string }>()((db, parameter) =>
  db
    .insertInto('statistic_day')
    .values(all(parameter, ['scope', 'day', ...DAY_COLUMNS]))
    .onConflict((conflict) =>
      conflict.columns(['scope', 'day']).doUpdateSet(added('statistic_day', DAY_COLUMNS)),
    ),
);

/** For creates, which change no other counter of a day. */
export const addReported = query<{ scope: number; day: string; reported: number }>()(
  (db, parameter) =>
    db
      .insertInto('statistic_day')
      .values(all(parameter, ['scope', 'day', 'reported']))
      .onConflict((conflict) =>
        conflict.columns(['scope', 'day']).doUpdateSet(added('statistic_day', ['reported'])),
      ),
);

export const addFamily = query<{ scope: number; name: string; reports: number }>()(
  (db, parameter) =>
    db
      .insertInto('statistic_family')
      .values(all(parameter, ['scope', 'name', 'reports']))
      .onConflict((conflict) =>
        conflict.columns(['scope', 'name']).doUpdateSet(added('statistic_family', ['reports'])),
      ),
);

export const deleteUnusedFamily = query<{ scope: number; name: string }>()((db, parameter) =>
  db
    .deleteFrom('statistic_family')
    .where('scope', '=', parameter.scope)
    .where('name', '=', parameter.name)
    // Not `= 0`: without statistics, PostgreSQL would expect few such rows and scan for them.
    .where(unindexedNumber('reports'), '<=', 0),
);

export interface ReporterKey {
  readonly reporter_id: string;
  readonly service_id: number;
}

export const addReporter = query<ReporterKey & ReporterCounts>()((db, parameter) =>
  db
    .insertInto('statistic_reporter')
    .values(all(parameter, ['reporter_id', 'service_id', ...REPORTER_COLUMNS]))
    .onConflict((conflict) =>
      conflict
        .columns(['reporter_id', 'service_id'])
        .doUpdateSet(added('statistic_reporter', REPORTER_COLUMNS)),
    ),
);

/** For most creates, which change no other counter of a reporter. */
export const addOpenOfReporter = query<ReporterKey & { open: number }>()((db, parameter) =>
  db
    .insertInto('statistic_reporter')
    .values(all(parameter, ['reporter_id', 'service_id', 'open']))
    .onConflict((conflict) =>
      conflict
        .columns(['reporter_id', 'service_id'])
        .doUpdateSet(added('statistic_reporter', ['open'])),
    ),
);
