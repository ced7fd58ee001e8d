import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { PARAMETERS, Parameter } from '../query-builder.ts';
import { storedJob } from '../tables/jobs/jobs.ts';
import type { Query } from '../units/query.ts';
import type { EachStep, QueryStep, SingleStep } from '../units/steps.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import { type Effects, Execution } from './execution.ts';
import { queryBuilder } from './query-builder.ts';
import { WITHOUT_PAUSE } from './slices.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** Parameters, to be bound at each execution, and constants of the query. */
  readonly parameters: readonly (Parameter | SQLInputValue)[];
  /** The text of the row of values, if the statement inserts one narrow row and returns nothing. */
  readonly insertedRow: string | undefined;
  /** Inserts `ROWS_PER_INSERT` rows. Prepared at its first execution. */
  insertMany: StatementSync | undefined;
}

/** Beyond some twenty rows a statement saves no more. */
const ROWS_PER_INSERT = 20;
/**
 * Executing a statement takes about 2 µs, as long as inserting a narrow row. For a wide row,
 * copying its values takes longer than what is saved.
 */
const MAX_NARROW_COLUMNS = 8;
const INSERT_OF_ONE_ROW = /^insert into "\w+" \([^()]+\) values (\((?:\?, )*\?\))$/;

/** The prepared statements of one connection. Each is prepared at its first execution. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<Query<never, unknown>, Prepared>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Runs the whole unit in the current turn of the event loop. */
  perform<Result>(work: UnitOfWork<Result>): Result {
    const execution = new Execution(this, work);
    execution.advance(WITHOUT_PAUSE);
    return execution.result;
  }

  /** Runs one step and adds to the effects of its transaction. */
  run(step: Exclude<SingleStep, EachStep>, effects: Effects): readonly unknown[] {
    switch (step.kind) {
      case 'query':
        return this.runQuery(step);
      case 'enqueue-job':
      case 'remove-job':
        return this.runQuery(storedJob(step));
      case 'feed-changed':
        effects.changed.add(step.service);
        return [];
      case 'deliveries-queued':
        effects.hasDeliveries = true;
        return [];
      // SQLite has a single writer and reports changes of other processes by `data_version`. A
      // commit that fails is rolled back, so there is never anything to compensate.
      case 'lock':
      case 'access-changed':
      case 'compensation':
        return [];
    }
  }

  runQuery({ query, values }: QueryStep): readonly unknown[] {
    const prepared = this.#prepared.get(query) ?? this.#prepare(query);
    return prepared.statement.all(...boundValues(prepared, values));
  }

  /** Runs some elements of the list, from `start` on, and adds the rows of each to `results`. */
  runSome({ query, list }: EachStep, start: number, results: (readonly unknown[])[]): void {
    const prepared = this.#prepared.get(query) ?? this.#prepare(query);
    const { statement, insertedRow } = prepared;
    if (insertedRow === undefined || list.length - start < ROWS_PER_INSERT) {
      results.push(statement.all(...boundValues(prepared, list[start] ?? {})));
      return;
    }
    const some = list.slice(start, start + ROWS_PER_INSERT);
    prepared.insertMany ??= this.#db.prepare(
      `${statement.sourceSQL}${`, ${insertedRow}`.repeat(ROWS_PER_INSERT - 1)}`,
    );
    prepared.insertMany.all(...some.flatMap((values) => boundValues(prepared, values)));
    for (const _ of some) results.push([]);
  }

  #prepare(query: Query<never, unknown>): Prepared {
    const { sql, parameters } = query.build(queryBuilder, PARAMETERS as never, 'sqlite').compile();
    const statement = this.#db.prepare(sql);
    if (query.returnsArrays === true) statement.setReturnArrays(true);
    const isNarrow = parameters.length <= MAX_NARROW_COLUMNS;
    const prepared: Prepared = {
      statement,
      parameters: parameters as readonly (Parameter | SQLInputValue)[],
      insertedRow: isNarrow ? INSERT_OF_ONE_ROW.exec(sql)?.[1] : undefined,
      insertMany: undefined,
    };
    this.#prepared.set(query, prepared);
    return prepared;
  }
}

function boundValues({ statement, parameters }: Prepared, values: object): SQLInputValue[] {
  const bound = parameters.map((parameter) =>
    parameter instanceof Parameter
      ? (values as Record<string, SQLInputValue>)[parameter.name]
      : parameter,
  );
  // Bound as null, a missing value would give a wrong result instead of an error.
  if (bound.includes(undefined))
    throw new Error(`a parameter has no value in: ${statement.sourceSQL}`);
  return bound as SQLInputValue[];
}
