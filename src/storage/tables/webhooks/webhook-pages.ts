import { sql } from 'kysely';
import { query } from '../../units/query.ts';
import { OWNER_COLUMNS } from './webhook-owners.ts';
import { selectWebhooks } from './webhook-rows.ts';

interface Page {
  after: string;
  limit: number;
}

export const selectPage = query<Page>()((db, parameter) =>
  selectWebhooks(db)
    .where('webhook.id', '>', parameter.after)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook.id')
    .limit(parameter.limit),
);

export const selectPageOfAccount = query<Page & { accountId: string }>()((db, parameter) =>
  selectWebhooks(db)
    .where('webhook.account_id', '=', parameter.accountId)
    .where('webhook.id', '>', parameter.after)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook.id')
    .limit(parameter.limit),
);

/** A subquery for the feed: with a join, all webhooks of the feed would be read and sorted. */
export const selectPageOfService = query<Page & { service: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .selectAll('webhook')
    .select(
      sql<string>`(select slug from service where service.id = webhook.service_id)`.as('slug'),
    )
    .select(OWNER_COLUMNS)
    .where('webhook.service_id', '=', (feed) =>
      feed.selectFrom('service').select('service.id').where('service.slug', '=', parameter.service),
    )
    .where('webhook.id', '>', parameter.after)
    .where('webhook.removed_at', 'is', null)
    .where('webhook.mail_format', 'is', null)
    .orderBy('webhook.id')
    .limit(parameter.limit),
);

export const selectById = query<{ id: string }>()((db, parameter) =>
  selectWebhooks(db).where('webhook.id', '=', parameter.id).where('webhook.removed_at', 'is', null),
);

export const markDisabledBy = query<{ id: string; at: string; reason: string; by: string }>()(
  (db, parameter) =>
    db
      .updateTable('webhook')
      .set((column) => ({
        disabled_at: column.fn.coalesce('disabled_at', column.val(parameter.at)),
        disabled_reason: parameter.reason,
        disabled_by: parameter.by,
      }))
      .where('id', '=', parameter.id),
);

export const setOwner = query<{ id: string; accountId: string }>()((db, parameter) =>
  db.updateTable('webhook').set({ account_id: parameter.accountId }).where('id', '=', parameter.id),
);
