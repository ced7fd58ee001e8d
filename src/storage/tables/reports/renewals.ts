import { ONE, query } from '../../units/query.ts';
import { type C2Key, hasC2Key } from './c2-key.ts';
import { newestUnresolved } from './siblings.ts';

export const selectLastOfC2 = query<C2Key>()((db, parameter) =>
  db
    .selectFrom('report')
    .select('reported_at')
    .where(hasC2Key(parameter))
    .orderBy('number', 'desc')
    .limit(ONE),
);

export const selectToRenew = query<C2Key & { before: string }>()((db, parameter) =>
  db
    .selectFrom(newestUnresolved(parameter).as('sibling'))
    .select(['id', 'number'])
    .where('expires_at', '<=', parameter.before)
    .orderBy('number'),
);
