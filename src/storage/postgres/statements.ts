import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { PARAMETERS, Parameter } from '../query-builder.ts';
import type { EachStep, Query, QueryStep } from '../unit-of-work.ts';
import { arrayText } from './array-text.ts';
import { batchQuery, isSelect } from './batch-query.ts';
import { toArgument } from './columns.ts';
import { IN_TRANSACTION } from './in-transaction.ts';
import { queryBuilder } from './query-builder.ts';

interface Statement {
  /** The name under which connections prepare the statement. */
  readonly name: string;
  readonly sql: string;
  /** Parameters, to be bound at each execution, and constants of the query. */
  readonly parameters: readonly unknown[];
}

interface SingleStatement extends Statement {
  /** Whether it changes nothing when executed outside a transaction. */
  readonly isSafeOutsideTransaction: boolean;
}

type AnyQuery = Query<never, unknown>;
type Values = Readonly<Record<string, unknown>>;

/** Compiles each query once, for all connections of a store. */
export class Statements {
  readonly #singles = new Map<AnyQuery, SingleStatement>();
  readonly #batches = new Map<AnyQuery, Statement>();

  async run(client: pg.ClientBase, { query, values }: QueryStep): Promise<readonly unknown[]> {
    const { name, sql, parameters } = this.#single(query);
    const { rows } = await client.query({
      name,
      text: sql,
      values: parameters.map((parameter) => boundValue(parameter, values as Values, sql)),
      ...(query.returnsArrays === true && { rowMode: 'array' }),
    });
    return rows;
  }

  isSafeOutsideTransaction({ query }: QueryStep | EachStep): boolean {
    return this.#single(query).isSafeOutsideTransaction;
  }

  /** Returns the rows for each element of the list. */
  async runEach(client: pg.ClientBase, { query, list }: EachStep): Promise<readonly unknown[]> {
    const [only] = list;
    // The single statement is cheaper, and a server without much load sends nothing else.
    if (list.length === 1 && only !== undefined)
      return [await this.run(client, { kind: 'query', query, values: only })];
    const { name, sql, parameters } =
      this.#batches.get(query) ?? (await this.#compileBatch(client, query));
    const { rows } = await client.query<{ '#': number }>({
      name,
      text: sql,
      values: parameters.map((parameter) =>
        parameter instanceof Parameter
          ? arrayText(list.map((values) => boundValue(parameter, values as Values, sql)))
          : boundValue(parameter, {}, sql),
      ),
    });
    const results = list.map((): unknown[] => []);
    // A select numbers its rows by element, from 1. Other statements return no rows.
    for (const row of rows) results[row['#'] - 1]?.push(row);
    return results;
  }

  #single(query: AnyQuery): SingleStatement {
    const known = this.#singles.get(query);
    if (known !== undefined) return known;
    const { sql, parameters, query: node } = compile(query);
    const statement = {
      name: `q${this.#singles.size}`,
      sql,
      parameters,
      isSafeOutsideTransaction: isSelect(node) || sql.includes(IN_TRANSACTION),
    };
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
  await client.query(`prepare ${prepared} as ${sql}`);
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [prepared],
  );
  await client.query(`deallocate ${prepared}`);
  const types = rows[0]?.types ?? [];
  return new Map(
    parameters.flatMap((parameter, index) =>
      parameter instanceof Parameter ? [[parameter.name, types[index] ?? 'text']] : [],
    ),
  );
}

function boundValue(parameter: unknown, values: Values, sql: string): unknown {
  const value = parameter instanceof Parameter ? values[parameter.name] : parameter;
  // Bound as null, a missing value would give a wrong result instead of an error.
  if (value === undefined) throw new Error(`a parameter has no value in: ${sql}`);
  return toArgument(value);
}
