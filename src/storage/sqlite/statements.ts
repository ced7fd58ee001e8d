import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { storedJob } from '../sql/jobs.ts';
import type { Tables } from '../tables.ts';
import {
  type ManyStep,
  PARAMETERS,
  Parameter,
  type Query,
  type QueryStep,
  type SingleStep,
  type UnitOfWork,
} from '../unit-of-work.ts';
import { Execution } from './execution.ts';
import { WITHOUT_PAUSE } from './slices.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** A name is an argument to be filled in; anything else stands in the query itself. */
  readonly parameters: readonly (Parameter | SQLInputValue)[];
}

/** Kysely writes the SQL and knows the types; it never runs anything here. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** The prepared statements of one connection, each made when it is first needed. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<Query<never, unknown>, Prepared>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Runs the unit from beginning to end, now. */
  perform<Result>(work: UnitOfWork<Result>): Result {
    const execution = new Execution(this, work);
    execution.advance(WITHOUT_PAUSE);
    return execution.result;
  }

  /** Runs one step that is not a query for many arguments. A feed that it announces is added to `changed`. */
  take(step: Exclude<SingleStep, ManyStep>, changed: Set<string> | undefined): readonly unknown[] {
    if ('changed' in step) changed?.add(step.changed);
    if ('changed' in step || 'access' in step || 'lock' in step || 'compensation' in step)
      return [];
    return this.run('job' in step ? storedJob(step) : step);
  }

  run({ query, values }: QueryStep): readonly unknown[] {
    const { statement, parameters } = this.#prepared.get(query) ?? this.#prepare(query);
    const bound = parameters.map((parameter) =>
      parameter instanceof Parameter
        ? (values as Record<string, SQLInputValue>)[parameter.name]
        : parameter,
    );
    // A forgotten argument is a defect; bound as null it would be a wrong answer.
    if (bound.includes(undefined))
      throw new Error(`an argument is missing of: ${statement.sourceSQL}`);
    return statement.all(...(bound as SQLInputValue[]));
  }

  #prepare(query: Query<never, unknown>): Prepared {
    const { sql, parameters } = query.build(builder, PARAMETERS as never, 'sqlite').compile();
    const prepared = {
      statement: this.#db.prepare(sql),
      parameters: parameters as readonly (Parameter | SQLInputValue)[],
    };
    this.#prepared.set(query, prepared);
    return prepared;
  }
}
