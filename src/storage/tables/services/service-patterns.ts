import { all, query } from '../../units/query.ts';

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
