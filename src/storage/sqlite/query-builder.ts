import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { createQueryBuilder } from '../query-builder.ts';

/**
 * SQLite chooses plans by the value of a bare parameter after `limit` and `offset`, and after `=`
 * if a partial index restricts that column. It then plans the statement again whenever the
 * parameter is bound, which takes longer than most of our statements. An expression has no value
 * while planning.
 */
class PlannedOnceCompiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    const [before, after] = wrapperAfter(this.getSql());
    this.append(before);
    super.appendValue(value);
    this.append(after);
  }
}

/** SQLite ignores a unary plus, but looks through it after `limit`. */
function wrapperAfter(sql: string): readonly [string, string] {
  if (/\b(?:limit|offset) $/.test(sql)) return ['(', ' + 0)'];
  return sql.endsWith(' = ') ? ['+', ''] : ['', ''];
}

export const queryBuilder = createQueryBuilder({
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new PlannedOnceCompiler(),
});
