import { query } from '../../units/query.ts';

/** The columns of a feed that a change of its reports needs. */
export const selectFeed = query<{ slug: string }>()((db, parameter) =>
  db
    .selectFrom('service')
    .select(['id', 'confidence_scale', 'webhook_count', 'expire_after_days'])
    .where('slug', '=', parameter.slug),
);

export const selectSlug = query<{ id: number }>()((db, parameter) =>
  db.selectFrom('service').select('slug').where('id', '=', parameter.id),
);

export const selectFeeds = query()((db) => db.selectFrom('service').select('id'));
