import { sql } from 'kysely';
import type { AttemptOutcome, Pause } from '../../../domain/webhooks/webhook-retries.ts';
import type { LeasedDelivery } from '../../../ports/webhook-store.ts';
import type { DeliveryRow } from '../../schema/tables.ts';
import { lockFeeds } from '../../units/locks.ts';
import { query } from '../../units/query.ts';
import { isPresent } from '../../units/unindexed-columns.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { disableWebhook } from './webhooks.ts';

interface Settled {
  id: string;
  lease: number;
  state: DeliveryRow['state'];
  dueAt: string;
  status: number | null;
  error: string | null;
  finishedAt: string | null;
}

const settleLeased = query<Settled>()((db, parameter) =>
  db
    .updateTable('delivery')
    .set({
      state: parameter.state,
      due_at: parameter.dueAt,
      last_status: parameter.status,
      last_error: parameter.error,
      finished_at: parameter.finishedAt,
      leased_until: null,
    })
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where(isPresent('leased_until'))
    .returning('number'),
);

const releaseLeased = query<{ id: string; lease: number }>()((db, parameter) =>
  db
    .updateTable('delivery')
    .set((column) => ({ attempts: column('attempts', '-', 1), leased_until: null }))
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where(isPresent('leased_until'))
    .returning('number'),
);

const recordSuccess = query<{ id: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set({ failing_since: null, failing_delivery: null, paused_until: null })
    .where('id', '=', parameter.id)
    // Avoids a write for each delivery to a healthy endpoint.
    .where('failing_since', 'is not', null),
);

/** One statement, because two deliveries of a webhook may fail at the same time. */
const recordFailure = (pause: Pause) =>
  query<{ id: string; at: string; until: string; deliveryId: string }>()((db, parameter) =>
    db
      .updateTable('webhook')
      .set((column) => ({
        failing_since: column.fn.coalesce('failing_since', sql<string>`${parameter.at}`),
        failing_delivery: sql<string>`case when failing_since is null then ${parameter.deliveryId}
          else failing_delivery end`,
      }))
      .$if(pause === 'always', (webhook) => webhook.set({ paused_until: parameter.until }))
      .$if(pause === 'repeated', (webhook) =>
        webhook.set({
          // Null in webhooks that failed before the column existed.
          paused_until: sql<string>`case when failing_since is not null
            and coalesce(failing_delivery, '') <> ${parameter.deliveryId}
            then ${parameter.until} else paused_until end`,
        }),
      )
      .where('id', '=', parameter.id),
  );

const recordFailureBy: Readonly<Record<Pause, ReturnType<typeof recordFailure>>> = {
  always: recordFailure('always'),
  repeated: recordFailure('repeated'),
  never: recordFailure('never'),
};

/** The members of a lease that its settlement needs. */
type Settling = Pick<LeasedDelivery, 'id' | 'lease' | 'webhookId' | 'dueAt'> & {
  readonly webhook: { readonly service: string };
};

export function* settleDelivery(
  leased: Settling,
  outcome: AttemptOutcome,
  /** Whether a failure is one of the receiver. */
  isFault = true,
): UnitOfWork<boolean> {
  const { id, lease, webhookId } = leased;
  if (outcome.kind === 'released') return (yield* row(releaseLeased, { id, lease })) !== undefined;
  const disable = outcome.kind === 'dead' ? outcome.disable : undefined;
  // Locks are taken in the same order everywhere: the feed first. No webhook is added to it
  // while its webhooks are counted.
  if (disable !== undefined) yield* lockFeeds([leased.webhook.service]);
  if ((yield* row(settleLeased, settledBy(leased, outcome))) === undefined) return false;
  if (outcome.kind === 'delivered') {
    yield* rows(recordSuccess, { id: webhookId });
    return true;
  }
  if (!isFault) return true;
  const { at, pause, pauseUntil } = outcome;
  yield* rows(recordFailureBy[pause], {
    id: webhookId,
    at: at.toISOString(),
    until: pauseUntil.toISOString(),
    deliveryId: id,
  });
  if (disable !== undefined) yield* disableWebhook(webhookId, at, disable);
  return true;
}

function settledBy(
  { id, lease, dueAt }: Settling,
  outcome: Exclude<AttemptOutcome, { readonly kind: 'released' }>,
): Settled {
  const isOver = outcome.kind !== 'again';
  return {
    id,
    lease,
    state: isOver ? outcome.kind : 'waiting',
    dueAt: (isOver ? dueAt : outcome.dueAt).toISOString(),
    status: outcome.status ?? null,
    error: outcome.kind === 'delivered' ? null : outcome.error,
    finishedAt: isOver ? outcome.at.toISOString() : null,
  };
}
