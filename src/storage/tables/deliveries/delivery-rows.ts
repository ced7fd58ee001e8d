import { sql } from 'kysely';
import type { EventType } from '../../../domain/webhooks/webhook.ts';
import type { Delivery } from '../../../ports/deliveries.ts';
import type { DeliveryRow } from '../../schema/tables.ts';

/** A literal: SQLite uses a partial index only if the query contains its condition. */
export const WAITING = sql.lit('waiting' as const);

export function fromDeliveryRow(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    // The column is written from this type.
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
