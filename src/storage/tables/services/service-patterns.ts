import { sql } from 'kysely';
import { suffixOf } from '../../../domain/ownership/challenge.ts';
import { all, ONE, query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The declared hosts and networks of all services in one index. A host is looked up under the keys
 * of all patterns that match it: one for each label of a name, or for each length of a prefix that
 * occurs.
 */

interface PatternValues {
  key: string;
  slug: string;
  pattern: string;
  verified: number;
}

export const insertPattern = query<PatternValues>()((db, parameter) =>
  db.insertInto('service_pattern').values(all(parameter, ['key', 'slug', 'pattern', 'verified'])),
);

export const deletePatterns = query<{ slug: string }>()((db, parameter) =>
  db.deleteFrom('service_pattern').where('slug', '=', parameter.slug).returning('key'),
);

export const selectNext = query<{ after: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('service')
    .select(['id', 'slug', 'hosts', 'networks'])
    .where('id', '>', parameter.after)
    .orderBy('id')
    .limit(parameter.limit),
);

export const selectDeclared = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select(['hosts', 'networks']).where('slug', '=', parameter.slug),
);

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
