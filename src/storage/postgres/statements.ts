import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { PARAMETERS, Parameter } from '../query-builder.ts';
import type { Query } from '../units/query.ts';
import type { EachStep, QueryStep } from '../units/steps.ts';
import { batchQuery } from './batch-query.ts';
import { toArgument } from './columns.ts';
import { queryBuilder } from './query-builder.ts';
import { type BoundStatement, type Row, runStatements } from './statement-pipeline.ts';
import { Transaction } from './transaction.ts';

interface Statement {
  /** The name under which connections prepare the statement. */
  readonly name: string;
  readonly sql: string;
  /** Parameters, to be bound at each execution, and constants of the query. */
  readonly parameters: readonly unknown[];
}

type AnyQuery = Query<never, unknown>;
type Values = Readonly<Record<string, unknown>>;

/** Compiles each query once, for all connections of a store. */
export class Statements {
  readonly #singles = new Map<AnyQuery, Statement>();
  readonly #batches = new Map<AnyQuery, Statement>();

  /** The statement of a step. The one for a list may have to be compiled first. */
  bind(
    step: QueryStep | EachStep,
    transaction: Transaction,
  ): BoundStatement | Promise<BoundStatement> {
    if (step.kind === 'query') {
      const { returnsArrays } = step.query;
      return { ...bindOne(this.#single(step.query), step.values), returnsArrays };
    }
    const { query, list } = step;
    const [only] = list;
    // The single statement is cheaper, and a server without much load sends nothing else.
    if (list.length === 1 && only !== undefined) return bindOne(this.#single(query), only);
    const batch = this.#batches.get(query);
    if (batch !== undefined) return bindEach(batch, list);
    return this.#bindNew(transaction, step);
  }

  async #bindNew(transaction: Transaction, { query, list }: EachStep): Promise<BoundStatement> {
    await transaction.flush();
    return bindEach(await this.#compileBatch(transaction.client, query), list);
  }

  /** The answer to a step: its rows, or those of each element of its list. */
  answer(step: QueryStep | EachStep, rows: readonly Row[]): readonly unknown[] {
    if (step.kind === 'query') return rows;
    if (step.list.length === 1) return [rows];
    const results = step.list.map((): unknown[] => []);
    // A select or an update numbers its rows by element, from 1. Others return no rows.
    for (const row of rows) results[Number(row['#']) - 1]?.push(row);
    return results;
  }

  /** Runs a step on its own. */
  async run(client: pg.ClientBase, step: QueryStep | EachStep): Promise<readonly unknown[]> {
    const bound = await this.bind(step, new Transaction(client));
    const [rows = []] = await runStatements(client, [bound]);
    return this.answer(step, rows);
  }

  #single(query: AnyQuery): Statement {
    const known = this.#singles.get(query);
    if (known !== undefined) return known;
    const { sql, parameters } = compile(query);
    const statement = { name: `q${this.#singles.size}`, sql, parameters };
    this.#singles.set(query, statement);
    return statement;
  }

  /**
   * Connections that need the statement at the same time each compile it. Waiting for another
   * connection could deadlock: it may wait for a lock that this one holds.
   */
  async #compileBatch(client: pg.ClientBase, query: AnyQuery): Promise<Statement> {
    const single = this.#single(query);
    const types = await parameterTypes(client, single);
    const { sql, parameters } = batchQuery(compile(query).query, types).compile(queryBuilder);
    const statement = { name: `b${single.name}`, sql, parameters };
    this.#batches.set(query, statement);
    return statement;
  }
}

function compile(query: AnyQuery) {
  return query.build(queryBuilder, PARAMETERS as never, 'postgres').compile();
}

/**
 * The types that PostgreSQL infers for the parameters, by name. The catalogue lists them for
 * statements that were prepared by name.
 */
async function parameterTypes(
  client: pg.ClientBase,
  { name, sql, parameters }: Statement,
): Promise<ReadonlyMap<string, string>> {
  // Random: a statement that a failure leaves behind must not block the next attempt.
  const prepared = `types_of_${name}_${randomBytes(8).toString('hex')}`;
  // Sent together: the transaction may hold locks, for the time of each round trip.
  const [, { rows }] = await Promise.all([
    client.query(`prepare ${prepared} as ${sql}`),
    client.query<{ types: string[] }>(
      'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
      [prepared],
    ),
    client.query(`deallocate ${prepared}`),
  ]);
  const types = rows[0]?.types ?? [];
  return new Map(
    parameters.flatMap((parameter, index) =>
      parameter instanceof Parameter ? [[parameter.name, types[index] ?? 'text']] : [],
    ),
  );
}

function bindOne({ name, sql, parameters }: Statement, values: object): BoundStatement {
  const bound = parameters.map((parameter) => boundValue(parameter, values as Values, sql));
  return { name, text: sql, values: bound };
}

function bindEach({ name, sql, parameters }: Statement, list: readonly object[]): BoundStatement {
  const bound = parameters.map((parameter) =>
    parameter instanceof Parameter
      ? list.map((values) => boundValue(parameter, values as Values, sql))
      : boundValue(parameter, {}, sql),
  );
  return { name, text: sql, values: bound };
}

function boundValue(parameter: unknown, values: Values, sql: string): unknown {
  const value = parameter instanceof Parameter ? values[parameter.name] : parameter;
  // Bound as null, a missing value would give a wrong result instead of an error.
  if (value === undefined) throw new Error(`a parameter has no value in: ${sql}`);
  return toArgument(value);
}
