import { sql } from 'kysely';
import { suffixOf } from '../../../domain/ownership/challenge.ts';
import { all, ONE, query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';

export const selectDeclared = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select(['hosts', 'networks']).where('slug', '=', parameter.slug),
);

interface PatternValues {
  key: string;
  slug: string;
  pattern: string;
  verified: number;
}

/**
 * Not an update: of the two indexes that begin with the key, PostgreSQL would use one or the other.
 */
export const markPattern = query<PatternValues>()((db, parameter) =>
  db
    .insertInto('service_pattern')
    .values(all(parameter, ['key', 'slug', 'pattern', 'verified']))
    .onConflict((conflict) =>
      conflict.columns(['key', 'slug']).doUpdateSet({ verified: sql<number>`excluded.verified` }),
    ),
);

export const selectOther = query<{ key: string; slug: string }>()((db, parameter) =>
  db
    .selectFrom('service_pattern')
    .select('slug')
    .where('key', '=', parameter.key)
    .where('slug', '<>', parameter.slug)
    .limit(ONE),
);

/** The declared patterns of a host: the host itself, its subdomains, or both. */
export function* patternsWith(slug: string, suffix: string): UnitOfWork<readonly string[]> {
  const found = yield* row(selectDeclared, { slug });
  const hosts: readonly string[] = JSON.parse(found?.hosts ?? '[]');
  return hosts.filter((pattern) => suffixOf(pattern) === suffix);
}
