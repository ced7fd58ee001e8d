import { query } from '../../units/query.ts';

/** Only samples with a row in `fuzzy_hash`; another back-fill adds it to the others first. */
export const selectSamples = query<{ after: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .innerJoin('fuzzy_hash', 'fuzzy_hash.id', 'sample.id')
    .select(['sample.id', 'sample.family', 'sample.body'])
    .where('sample.id', '>', parameter.after)
    .orderBy('sample.id')
    .limit(parameter.limit),
);
