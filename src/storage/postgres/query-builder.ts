import {
  type CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryId,
  type RootOperationNode,
} from 'kysely';
import { createQueryBuilder, Parameter } from '../query-builder.ts';

/**
 * Gives a parameter one number wherever it occurs, so that PostgreSQL infers its type from any of
 * the occurrences.
 */
class ParameterCompiler extends PostgresQueryCompiler {
  readonly #numbers = new Map<string, number>();

  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    this.#numbers.clear();
    return super.compileQuery(node, queryId);
  }

  protected override appendValue(value: unknown): void {
    const number = value instanceof Parameter ? this.#numbers.get(value.name) : undefined;
    if (number !== undefined) {
      this.append(`$${number}`);
      return;
    }
    super.appendValue(value);
    if (value instanceof Parameter) this.#numbers.set(value.name, this.numParameters);
  }
}

export const queryBuilder = createQueryBuilder({
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new ParameterCompiler(),
});
