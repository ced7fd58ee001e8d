import type { UnidentifiedSecret, WebhookKey } from '../../../ports/webhook-store.ts';
import { query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** Which key encrypted the newest secrets of the webhooks. */

/** The key of a secret that is older than the column. */
const UNIDENTIFIED = '';
/** The ids, hexadecimal numbers, sort between these. */
const BEFORE_ALL = ' ';
const AFTER_ALL = '~';

const selectBetween = query<{ fromKey: string; toKey: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('webhook_secret')
    .innerJoin('webhook', 'webhook.id', 'webhook_secret.webhook_id')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .select(['webhook.id', 'service.slug as service'])
    .where('webhook_secret.valid_until', 'is', null)
    .where('webhook_secret.key_id', '>=', parameter.fromKey)
    .where('webhook_secret.key_id', '<', parameter.toKey)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook_secret.key_id')
    .orderBy('webhook_secret.webhook_id')
    .limit(parameter.limit),
);

const selectUnidentified = query<{ after: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('webhook_secret')
    .innerJoin('webhook', 'webhook.id', 'webhook_secret.webhook_id')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .select([
      'webhook_secret.webhook_id as id',
      'service.slug as service',
      'webhook_secret.number',
      'webhook_secret.sealed',
    ])
    .where('webhook_secret.valid_until', 'is', null)
    .where('webhook_secret.key_id', '=', UNIDENTIFIED)
    .where('webhook_secret.webhook_id', '>', parameter.after)
    .where('webhook.removed_at', 'is', null)
    .orderBy('webhook_secret.webhook_id')
    .limit(parameter.limit),
);

const setKey = query<{ webhookId: string; number: number; keyId: string }>()((db, parameter) =>
  db
    .updateTable('webhook_secret')
    .set({ key_id: parameter.keyId })
    .where('webhook_id', '=', parameter.webhookId)
    .where('number', '=', parameter.number),
);

const selectRecorded = query()((db) => db.selectFrom('installation').select('secret_key_id'));

const recordedKey = query<{ keyId: string }>()((db, parameter) =>
  db.updateTable('installation').set({ secret_key_id: parameter.keyId }),
);

export function* webhooksOfOtherKeys(
  keyId: string,
  limit: number,
): UnitOfWork<readonly WebhookKey[]> {
  const lower = yield* rows(selectBetween, { fromKey: BEFORE_ALL, toKey: keyId, limit });
  const range = { fromKey: `${keyId}${BEFORE_ALL}`, toKey: AFTER_ALL, limit };
  const found = [...lower, ...(yield* rows(selectBetween, range))];
  return found.slice(0, limit).map(({ service, id }) => ({ service, id }));
}

export function* unidentifiedSecrets(
  after: string | undefined,
  limit: number,
): UnitOfWork<readonly UnidentifiedSecret[]> {
  return yield* rows(selectUnidentified, { after: after ?? '', limit });
}

export function* identifySecrets(
  secrets: readonly UnidentifiedSecret[],
  keyId: string,
): UnitOfWork<void> {
  yield* each(
    setKey,
    secrets.map(({ id, number }) => ({ webhookId: id, number, keyId })),
  );
}

export function* recordKey(keyId: string): UnitOfWork<string | undefined> {
  const recorded = (yield* row(selectRecorded, {}))?.secret_key_id ?? undefined;
  if (recorded !== keyId) yield* rows(recordedKey, { keyId });
  return recorded;
}
