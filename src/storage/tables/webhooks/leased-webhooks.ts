import { query } from '../../units/query.ts';
import { OWNER_COLUMNS } from './webhook-owners.ts';

export const selectWebhook = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select('service.slug')
    .select(OWNER_COLUMNS)
    .where('webhook.id', '=', parameter.id),
);

export const selectSecrets = query<{ webhookId: string; now: string }>()((db, parameter) =>
  db
    .selectFrom('webhook_secret')
    .select(['number', 'sealed'])
    .where('webhook_id', '=', parameter.webhookId)
    .where((where) =>
      where.or([where('valid_until', 'is', null), where('valid_until', '>', parameter.now)]),
    ),
);
