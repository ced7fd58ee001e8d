import { sql } from 'kysely';
import { MAX_WEBHOOKS } from '../../../domain/webhooks/webhook.ts';
import type { Webhook, WebhookPage } from '../../../ports/webhook-store.ts';
import { query } from '../../units/query.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { OWNER_COLUMNS } from './webhook-owners.ts';
import { fromWebhookRow, selectWebhooks } from './webhook-rows.ts';

interface Page {
  after: string;
  limit: number;
}

const selectPage = query<Page>()((db, parameter) =>
  selectWebhooks(db)
    .where('webhook.id', '>', parameter.after)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook.id')
    .limit(parameter.limit),
);

const selectPageOfAccount = query<Page & { accountId: string }>()((db, parameter) =>
  selectWebhooks(db)
    .where('webhook.account_id', '=', parameter.accountId)
    .where('webhook.id', '>', parameter.after)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook.id')
    .limit(parameter.limit),
);

/** A subquery for the feed: with a join, all webhooks of the feed would be read and sorted. */
const selectPageOfService = query<Page & { service: string }>()((db, parameter) =>
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

/** Webhooks of all feeds, of one feed or of one owner. */
export function* listAllWebhooks(page: WebhookPage): UnitOfWork<readonly Webhook[]> {
  const { limit, after = '', service, accountId } = page;
  if (service !== undefined) {
    // All that a feed can have, of which those of one owner are selected.
    const found = yield* rows(selectPageOfService, { service, after, limit: MAX_WEBHOOKS });
    const matching = found.filter((one) => accountId === undefined || one.account_id === accountId);
    return matching.slice(0, limit).map(fromWebhookRow);
  }
  const found =
    accountId === undefined
      ? yield* rows(selectPage, { after, limit })
      : yield* rows(selectPageOfAccount, { accountId, after, limit });
  return found.map(fromWebhookRow);
}
