import { sql } from 'kysely';
import type { DeliveryRetention } from '../../../ports/deliveries.ts';
import type { DeliveryRow } from '../../schema/tables.ts';
import { query } from '../../units/query.ts';
import { unindexedText } from '../../units/unindexed-columns.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { WAITING } from './delivery-rows.ts';
import { hasKey, isOwnedNow } from './receiving-webhooks.ts';

const deleteFinished = query<{ state: DeliveryRow['state']; before: string; limit: number }>()(
  (db, parameter) =>
    db
      .deleteFrom('delivery')
      .where('number', 'in', (from) =>
        from
          .selectFrom('delivery as old')
          .select('old.number')
          .where('old.state', '=', parameter.state)
          .where('old.finished_at', '<', parameter.before)
          .where('old.finished_at', 'is not', null)
          .orderBy('old.finished_at')
          .limit(parameter.limit),
      )
      // Tested again on the row: a delivery may have been replayed since the subquery read it. Not
      // by the index: every slice would read all finished deliveries.
      .where(unindexedText('state'), '=', parameter.state)
      .where(sql<boolean>`case when finished_at < ${parameter.before} then 1 else 0 end = 1`)
      .returning('number'),
);

const selectDisabled = query<{ before: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('webhook')
    .select(['id', 'removed_at'])
    .where('disabled_at', 'is not', null)
    .where((where) =>
      where.or([where('removed_at', 'is not', null), where('disabled_at', '<', parameter.before)]),
    )
    // Locked, so that it is not enabled while its deliveries are deleted. One that is being changed
    // is skipped.
    .$if(dialect === 'postgres', (webhook) => webhook.forUpdate().skipLocked()),
);

const deleteOfWebhook = (states: 'all' | 'waiting') =>
  query<{ webhookId: string; limit: number }>()((db, parameter) =>
    db
      .deleteFrom('delivery')
      .where('number', 'in', (from) =>
        from
          .selectFrom('delivery as old')
          .select('old.number')
          .where('old.webhook_id', '=', parameter.webhookId)
          .$if(states === 'waiting', (old) => old.where('old.state', '=', WAITING))
          .limit(parameter.limit),
      )
      .returning('number'),
  );

const deleteAll = deleteOfWebhook('all');
const deleteWaiting = deleteOfWebhook('waiting');

const deleteSecretsOf = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('webhook_secret').where('webhook_id', '=', parameter.id),
);

const deleteWebhook = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('webhook').where('id', '=', parameter.id),
);

const selectSuspended = query<{ now: string; keyId: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .select('webhook.id')
    .where('webhook.disabled_at', 'is', null)
    .where((where) =>
      where.or([
        sql<boolean>`not ${isOwnedNow(parameter.now)}`,
        // Overdue for that long only if no node has its key.
        sql<boolean>`not ${hasKey(parameter.keyId)}`,
        // Mail is overdue for that long only if no node has a mail server.
        where('webhook.mail_format', 'is not', null),
      ]),
    ),
);

const deleteWaitingBefore = query<{ webhookId: string; before: string; limit: number }>()(
  (db, parameter) =>
    db
      .deleteFrom('delivery')
      .where('number', 'in', (from) =>
        from
          .selectFrom('delivery as old')
          .select('old.number')
          .where('old.webhook_id', '=', parameter.webhookId)
          .where('old.state', '=', WAITING)
          .where('old.due_at', '<', parameter.before)
          .limit(parameter.limit),
      )
      .returning('number'),
);

export function* deleteOldDeliveries(retention: DeliveryRetention): UnitOfWork<number> {
  const { limit } = retention;
  const delivered = retention.deliveredBefore.toISOString();
  const dead = retention.deadBefore.toISOString();
  let deleted = (yield* rows(deleteFinished, { state: 'delivered', before: delivered, limit }))
    .length;
  deleted += (yield* rows(deleteFinished, { state: 'dead', before: dead, limit })).length;
  if (deleted < limit) deleted += yield* deleteSuspended(retention, limit - deleted);
  for (const { id, removed_at } of yield* rows(selectDisabled, { before: dead })) {
    if (deleted >= limit) break;
    deleted +=
      removed_at === null
        ? (yield* rows(deleteWaiting, { webhookId: id, limit })).length
        : yield* deleteRemoved(id, limit);
  }
  return deleted;
}

/** Deletes the row of the webhook when no delivery refers to it. */
function* deleteRemoved(webhookId: string, limit: number): UnitOfWork<number> {
  const deleted = (yield* rows(deleteAll, { webhookId, limit })).length;
  if (deleted > 0) return deleted;
  yield* rows(deleteSecretsOf, { id: webhookId });
  yield* rows(deleteWebhook, { id: webhookId });
  return 0;
}

/** Deliveries that wait for an owner or a key are kept as long as dead ones. */
function* deleteSuspended(
  { now, keyId, deadBefore }: DeliveryRetention,
  limit: number,
): UnitOfWork<number> {
  let deleted = 0;
  for (const { id } of yield* rows(selectSuspended, { now: now.toISOString(), keyId })) {
    if (deleted >= limit) break;
    const slice = { webhookId: id, before: deadBefore.toISOString(), limit: limit - deleted };
    deleted += (yield* rows(deleteWaitingBefore, slice)).length;
  }
  return deleted;
}
