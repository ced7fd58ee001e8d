import { jsonArrayAgg, numberRows } from '../../units/json-arrays.ts';
import { query } from '../../units/query.ts';

export const selectBySample = query<{ id: number }>()((db, parameter) =>
  db.selectFrom('fuzzy_hash').select('text').where('id', '=', parameter.id),
);

export const selectWithGram = query<{ gram: number; limit: number }>()((db, parameter, dialect) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('gram')
        .select('fuzzy_hash_id as id')
        .where('gram', '=', parameter.gram)
        .orderBy('fuzzy_hash_id', 'desc')
        .limit(parameter.limit)
        .as('newest'),
    )
    .select(({ ref }) => jsonArrayAgg(ref('newest.id'), dialect).as('ids')),
);

export const selectCandidates = query<{ ids: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('fuzzy_hash')
    .select(['id', 'text'])
    .where('id', 'in', (from) =>
      from.selectFrom(numberRows(parameter.ids, dialect).as('wanted')).select('wanted.value'),
    ),
);

export const selectShown = query<{ id: number }>()((db, parameter) =>
  db
    .selectFrom('fuzzy_hash')
    .innerJoin('sample', 'sample.id', 'fuzzy_hash.id')
    .leftJoin('tlsh', 'tlsh.id', 'fuzzy_hash.id')
    .select([
      'sample.sha256',
      'fuzzy_hash.file_name',
      'fuzzy_hash.tags',
      'fuzzy_hash.text as ssdeep',
      'tlsh.text as tlsh',
    ])
    .where('fuzzy_hash.id', '=', parameter.id),
);
