import { sql } from 'kysely';
import type { Delivery, DeliveryPage } from '../../../ports/deliveries.ts';
import type { DeliveryRow } from '../../schema/tables.ts';
import { query } from '../../units/query.ts';
import { unindexedText } from '../../units/unindexed-columns.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { fromDeliveryRow } from './delivery-rows.ts';
import { endPause } from './destinations.ts';

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
    .where(unindexedText('webhook_id'), '=', parameter.webhookId),
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

const requeue = query<{ webhookId: string; id: string; at: string }>()((db, parameter) =>
  db
    .updateTable('delivery')
    .set({ state: 'waiting', attempts: 0, due_at: parameter.at, finished_at: null })
    .where('id', '=', parameter.id)
    .where(unindexedText('webhook_id'), '=', parameter.webhookId)
    .returning('number'),
);

/** The log of a webhook or a destination of mail. */
export function* deliveriesTo(
  webhookId: string,
  page: DeliveryPage,
): UnitOfWork<readonly Delivery[]> {
  const { limit, state } = page;
  const selection = { webhookId, limit, before: yield* numberBefore(webhookId, page) };
  const found =
    state === undefined
      ? yield* rows(selectPage, selection)
      : yield* rows(selectPageOfState, { ...selection, state });
  return found.map(fromDeliveryRow);
}

function* numberBefore(webhookId: string, { before }: DeliveryPage) {
  if (before === undefined) return Number.MAX_SAFE_INTEGER;
  // If it was deleted by housekeeping, so were all before it.
  return (yield* row(selectNumber, { webhookId, id: before }))?.number ?? 0;
}

/** To a webhook or a destination of mail. */
export function* queueTestTo(webhookId: string, id: string, at: Date): UnitOfWork<'queued'> {
  yield* rows(insertTest, { id, webhookId, at: at.toISOString() });
  yield* rows(endPause, { id: webhookId });
  return 'queued';
}

export function* requeueDelivery(
  webhookId: string,
  id: string,
  at: Date,
): UnitOfWork<'queued' | 'absent-delivery'> {
  const queued = yield* row(requeue, { webhookId, id, at: at.toISOString() });
  if (queued === undefined) return 'absent-delivery';
  yield* rows(endPause, { id: webhookId });
  return 'queued';
}

export function* hasDelivery(webhookId: string, id: string): UnitOfWork<boolean> {
  return (yield* row(selectNumber, { webhookId, id })) !== undefined;
}
