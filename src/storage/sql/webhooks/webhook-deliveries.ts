import { sql } from 'kysely';
import type { EventType } from '../../../domain/webhooks/webhook.ts';
import { suspensionOf } from '../../../domain/webhooks/webhook-owner.ts';
import type {
  DeliveriesOver,
  Delivery,
  DeliveryPage,
  Queued,
  WebhookPlace,
} from '../../../ports/webhook-store.ts';
import type { DeliveryRow } from '../../tables.ts';
import { query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { textFilter } from '../listing/column-filters.ts';
import { forgetSuspended } from './webhook-owners.ts';
import { findWebhook } from './webhooks.ts';

interface Page {
  webhookId: string;
  before: number;
  limit: number;
}

const selectPage = query<Page>()((db, parameter) =>
  db
    .selectFrom('delivery')
    .selectAll()
    .where('webhook_id', '=', parameter.webhookId)
    .where('number', '<', parameter.before)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const selectPageOfState = query<Page & { state: DeliveryRow['state'] }>()((db, parameter) =>
  db
    .selectFrom('delivery')
    .selectAll()
    .where('webhook_id', '=', parameter.webhookId)
    .where('state', '=', parameter.state)
    .where('number', '<', parameter.before)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);

const selectNumber = query<{ webhookId: string; id: string }>()((db, parameter) =>
  db
    .selectFrom('delivery')
    .select('number')
    .where('id', '=', parameter.id)
    .where(textFilter('webhook_id'), '=', parameter.webhookId),
);

const insertTest = query<{ id: string; webhookId: string; at: string }>()((db, parameter) =>
  db.insertInto('delivery').values({
    id: parameter.id,
    webhook_id: parameter.webhookId,
    event: sql.lit('webhook.test'),
    sequence: sql.lit(0),
    due_at: parameter.at,
    created_at: parameter.at,
  }),
);

const queueAgain = query<{ webhookId: string; id: string; at: string }>()((db, parameter) =>
  db
    .updateTable('delivery')
    .set({ state: 'waiting', attempts: 0, due_at: parameter.at, finished_at: null })
    .where('id', '=', parameter.id)
    .where(textFilter('webhook_id'), '=', parameter.webhookId)
    .returning('number'),
);

const endPause = query<{ id: string }>()((db, parameter) =>
  db.updateTable('webhook').set({ paused_until: null }).where('id', '=', parameter.id),
);

const deleteOver = query<{ state: DeliveryRow['state']; before: string; limit: number }>()(
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
      // Also when it is its turn: one that is sent again by then is over no more. By the row itself: by the index, every
      // slice would read all that is over.
      .where(textFilter('state'), '=', parameter.state)
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
    // Nobody may enable it while its deliveries are forgotten: they would be missed then. Whoever does is left alone.
    .$if(dialect === 'postgres', (webhook) => webhook.forUpdate().skipLocked()),
);

const deleteWaiting = query<{ webhookId: string; limit: number }>()((db, parameter) =>
  db
    .deleteFrom('delivery')
    .where('number', 'in', (from) =>
      from
        .selectFrom('delivery as old')
        .select('old.number')
        .where('old.webhook_id', '=', parameter.webhookId)
        .where('old.state', '=', sql.lit('waiting'))
        .limit(parameter.limit),
    )
    .returning('number'),
);

const deleteAny = query<{ webhookId: string; limit: number }>()((db, parameter) =>
  db
    .deleteFrom('delivery')
    .where('number', 'in', (from) =>
      from
        .selectFrom('delivery as old')
        .select('old.number')
        .where('old.webhook_id', '=', parameter.webhookId)
        .limit(parameter.limit),
    )
    .returning('number'),
);

const deleteSecretsOf = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('webhook_secret').where('webhook_id', '=', parameter.id),
);

const deleteWebhook = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('webhook').where('id', '=', parameter.id),
);

export function* listDeliveries(
  place: WebhookPlace,
  page: DeliveryPage,
): UnitOfWork<readonly Delivery[] | 'absent'> {
  if ((yield* findWebhook(place)) === undefined) return 'absent';
  const { limit, state } = page;
  const asked = { webhookId: place.id, limit, before: yield* numberBefore(place, page) };
  const found =
    state === undefined
      ? yield* rows(selectPage, asked)
      : yield* rows(selectPageOfState, { ...asked, state });
  return found.map(fromDeliveryRow);
}

function* numberBefore({ id: webhookId }: WebhookPlace, { before }: DeliveryPage) {
  if (before === undefined) return Number.MAX_SAFE_INTEGER;
  // One that was forgotten: so were all before it.
  return (yield* row(selectNumber, { webhookId, id: before }))?.number ?? 0;
}

export function* queueTest(place: WebhookPlace, id: string, at: Date): UnitOfWork<Queued> {
  const webhook = yield* findWebhook(place);
  if (webhook === undefined) return 'absent';
  if (webhook.disabledAt !== undefined) return 'disabled';
  if (suspensionOf(webhook.owner, at) !== undefined) return 'suspended';
  yield* rows(insertTest, { id, webhookId: place.id, at: at.toISOString() });
  yield* rows(endPause, { id: place.id });
  return 'queued';
}

export function* replayDelivery(
  place: WebhookPlace,
  id: string,
  at: Date,
): UnitOfWork<Queued | 'absent-delivery'> {
  const webhook = yield* findWebhook(place);
  if (webhook === undefined) return 'absent';
  const asked = { webhookId: place.id, id };
  if ((yield* row(selectNumber, asked)) === undefined) return 'absent-delivery';
  if (webhook.disabledAt !== undefined) return 'disabled';
  if (suspensionOf(webhook.owner, at) !== undefined) return 'suspended';
  yield* rows(queueAgain, { ...asked, at: at.toISOString() });
  yield* rows(endPause, { id: place.id });
  return 'queued';
}

export function* forgetDeliveries(over: DeliveriesOver): UnitOfWork<number> {
  const { limit } = over;
  const delivered = over.deliveredBefore.toISOString();
  const dead = over.deadBefore.toISOString();
  let gone = (yield* rows(deleteOver, { state: 'delivered', before: delivered, limit })).length;
  gone += (yield* rows(deleteOver, { state: 'dead', before: dead, limit })).length;
  if (gone < limit) gone += yield* forgetSuspended(over.now, over.deadBefore, limit - gone);
  for (const { id, removed_at } of yield* rows(selectDisabled, { before: dead })) {
    if (gone >= limit) break;
    gone +=
      removed_at === null
        ? (yield* rows(deleteWaiting, { webhookId: id, limit })).length
        : yield* forgetRemoved(id, limit);
  }
  return gone;
}

/** Its row goes when nothing refers to it any more. */
function* forgetRemoved(webhookId: string, limit: number): UnitOfWork<number> {
  const gone = (yield* rows(deleteAny, { webhookId, limit })).length;
  if (gone > 0) return gone;
  yield* rows(deleteSecretsOf, { id: webhookId });
  yield* rows(deleteWebhook, { id: webhookId });
  return 0;
}

export function fromDeliveryRow(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    // Written from that very type.
    event: row.event as EventType,
    sequence: row.sequence,
    reportId: row.report_id ?? undefined,
    state: row.state,
    attempts: row.attempts,
    dueAt: new Date(row.due_at),
    lastStatus: row.last_status ?? undefined,
    lastError: row.last_error ?? undefined,
    createdAt: new Date(row.created_at),
    finishedAt: row.finished_at === null ? undefined : new Date(row.finished_at),
  };
}
