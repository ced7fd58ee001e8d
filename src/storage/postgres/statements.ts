import { randomBytes } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type pg from 'pg';
import type { Tables } from '../tables.ts';
import {
  IN_TRANSACTION,
  type ManyStep,
  PARAMETERS,
  Parameter,
  type Query,
  type QueryStep,
} from '../unit-of-work.ts';
import { arrayText } from './array-text.ts';
import { toArgument } from './columns.ts';
import { manyStatement } from './many.ts';

/** Kysely writes the SQL and knows the types; it never runs anything here. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export interface Built {
  /** By which connections know that they have prepared it. */
  readonly name: string;
  readonly sql: string;
  /** A name is an argument to be filled in; anything else stands in the query itself. */
  readonly parameters: readonly unknown[];
}

type AnyQuery = Query<never, unknown>;

/** The texts of all queries, each made when it is first needed, for all connections of a store. */
export class Statements {
  readonly #built = new Map<AnyQuery, Built>();
  readonly #many = new Map<AnyQuery, Built>();

  async run(client: pg.ClientBase, { query, values }: QueryStep): Promise<readonly unknown[]> {
    const built = this.#build(query);
    const given = values as Record<string, unknown>;
    const { rows } = await client.query({
      name: built.name,
      text: built.sql,
      values: built.parameters.map((parameter) => argument(parameter, given, built)),
    });
    return rows;
  }

  /** Whether it does no harm where it is not part of a transaction. */
  isHarmlessAlone({ query }: QueryStep | ManyStep): boolean {
    const { sql } = this.#build(query);
    return sql.startsWith('select ') || sql.includes(IN_TRANSACTION);
  }

  /** For each of the arguments its rows. */
  async runMany(client: pg.ClientBase, { query, each }: ManyStep): Promise<readonly unknown[]> {
    const [only] = each;
    // The usual case of a quiet server, and cheaper so.
    if (each.length === 1 && only !== undefined)
      return [await this.run(client, { query, values: only })];
    const built = this.#many.get(query) ?? (await this.#buildMany(client, query));
    const given = each as readonly Record<string, unknown>[];
    const { rows } = await client.query<{ '#': number }>({
      name: built.name,
      text: built.sql,
      values: built.parameters.map((parameter) =>
        arrayText(given.map((values) => argument(parameter, values, built))),
      ),
    });
    const found = each.map((): unknown[] => []);
    // Rows of a select say whose they are, counted from 1; others give none.
    for (const row of rows) found[row['#'] - 1]?.push(row);
    return found;
  }

  #build(query: AnyQuery): Built {
    const known = this.#built.get(query);
    if (known !== undefined) return known;
    const { sql, parameters } = query.build(builder, PARAMETERS as never, 'postgres').compile();
    const built = { name: `q${this.#built.size}`, ...numbered(sql, parameters) };
    this.#built.set(query, built);
    return built;
  }

  /**
   * Each connection that needs it before it is there makes it for itself: one that waited for another's might hold the very
   * lock that the other waits for.
   */
  async #buildMany(client: pg.ClientBase, query: AnyQuery): Promise<Built> {
    const single = this.#build(query);
    const { name, parameters } = single;
    const types = await typesOf(client, single);
    const built = { name: `m${name}`, sql: manyStatement(single.sql, types), parameters };
    this.#many.set(query, built);
    return built;
  }
}

/** The same parameter is the same argument wherever it stands: PostgreSQL then learns its type from any of its places. */
function numbered(sql: string, parameters: readonly unknown[]): Pick<Built, 'sql' | 'parameters'> {
  const own: unknown[] = [];
  const places = new Map<string, number>();
  const numbers = parameters.map((parameter) => {
    const known = parameter instanceof Parameter ? places.get(parameter.name) : undefined;
    if (known !== undefined) return known;
    own.push(parameter);
    if (parameter instanceof Parameter) places.set(parameter.name, own.length);
    return own.length;
  });
  return {
    sql: sql.replaceAll(/\$(\d+)/g, (_, number) => `$${numbers[Number(number) - 1]}`),
    parameters: own,
  };
}

/** What types PostgreSQL takes the arguments for. It tells of statements that were prepared by name. */
async function typesOf(client: pg.ClientBase, { name, sql }: Built): Promise<readonly string[]> {
  // One that is left behind, where something beside it fails, is in nobody's way.
  const prepared = `types_of_${name}_${randomBytes(8).toString('hex')}`;
  await client.query(`prepare ${prepared} as ${sql}`);
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [prepared],
  );
  await client.query(`deallocate ${prepared}`);
  return rows[0]?.types ?? [];
}

function argument(parameter: unknown, values: Record<string, unknown>, { sql }: Built): unknown {
  const value = parameter instanceof Parameter ? values[parameter.name] : parameter;
  // A forgotten argument is a defect; bound as null it would be a wrong answer.
  if (value === undefined) throw new Error(`an argument is missing of: ${sql}`);
  return toArgument(value);
}
