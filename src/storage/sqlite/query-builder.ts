import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { createQueryBuilder } from '../query-builder.ts';

export const queryBuilder = createQueryBuilder({
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});
