import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { PARAMETERS, Parameter } from '../query-builder.ts';
import { storedJob } from '../sql/jobs.ts';
import type { EachStep, Query, QueryStep, SingleStep, UnitOfWork } from '../unit-of-work.ts';
import { type Effects, Execution } from './execution.ts';
import { queryBuilder } from './query-builder.ts';
import { WITHOUT_PAUSE } from './slices.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** Parameters, to be bound at each execution, and constants of the query. */
  readonly parameters: readonly (Parameter | SQLInputValue)[];
}

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
    const { statement, parameters } = this.#prepared.get(query) ?? this.#prepare(query);
    const bound = parameters.map((parameter) =>
      parameter instanceof Parameter
        ? (values as Record<string, SQLInputValue>)[parameter.name]
        : parameter,
    );
    // Bound as null, a missing value would give a wrong result instead of an error.
    if (bound.includes(undefined))
      throw new Error(`a parameter has no value in: ${statement.sourceSQL}`);
    return statement.all(...(bound as SQLInputValue[]));
  }

  #prepare(query: Query<never, unknown>): Prepared {
    const { sql, parameters } = query.build(queryBuilder, PARAMETERS as never, 'sqlite').compile();
    const statement = this.#db.prepare(sql);
    if (query.returnsArrays === true) statement.setReturnArrays(true);
    const prepared = {
      statement,
      parameters: parameters as readonly (Parameter | SQLInputValue)[],
    };
    this.#prepared.set(query, prepared);
    return prepared;
  }
}
