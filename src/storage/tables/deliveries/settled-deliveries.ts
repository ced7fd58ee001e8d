import type { AttemptOutcome } from '../../../domain/deliveries/retries.ts';
import type { Delivery } from '../../../ports/deliveries.ts';
import type { DeliveryRow } from '../../schema/tables.ts';
import { query } from '../../units/query.ts';
import { isPresent } from '../../units/unindexed-columns.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { recordFailureBy, recordSuccess } from './destinations.ts';

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

/** The members of a lease that its settlement needs. */
type Settling = Pick<Delivery, 'id' | 'webhookId' | 'dueAt'> & { readonly lease: number };

/**
 * Records the outcome of an attempt. `false` if the lease was lost. `isFault`: whether a failure is
 * one of the receiver.
 */
export function* settleDelivery(
  leased: Settling,
  outcome: AttemptOutcome,
  isFault = true,
): UnitOfWork<boolean> {
  const { id, lease, webhookId } = leased;
  if (outcome.kind === 'released') return (yield* row(releaseLeased, { id, lease })) !== undefined;
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
