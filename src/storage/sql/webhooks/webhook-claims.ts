import { sql } from 'kysely';
import type { Change } from '../../../domain/reports/change.ts';
import type { AttemptOutcome } from '../../../domain/webhooks/webhook-retries.ts';
import type { ClaimedDelivery, DeliveryLease, DeliveryWish } from '../../../ports/webhook-store.ts';
import type { DeliveryRow } from '../../tables.ts';
import { type Dialect, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { lockFeeds } from '../feeds/feed-lock.ts';
import { findReport } from '../reports/reports.ts';
import { isPresent } from '../unindexed-columns.ts';
import { fromDeliveryRow } from './webhook-deliveries.ts';
import { isOwnedNow, OWNER_COLUMNS } from './webhook-owners.ts';
import { fromWebhookRow } from './webhook-rows.ts';
import { disableWebhook } from './webhooks.ts';

/** Written into the query, since SQLite takes an index over some rows only where it sees that they are meant. */
const WAITING = sql.lit('waiting' as const);

/** When a lease begins and ends by the clock of this process, and how long it is. */
interface Lease {
  now: string;
  until: string;
  leaseMs: number;
}

function leaseFrom({ now, leaseMs }: DeliveryLease): Lease {
  const until = new Date(now.getTime() + leaseMs);
  return { now: now.toISOString(), until: until.toISOString(), leaseMs };
}

/**
 * Leases are between nodes, whose clocks may differ, so that of the database decides. On SQLite there is one process.
 * `now()` is the beginning of the transaction, and fit for an index.
 */
function leaseStart({ now }: Pick<Lease, 'now'>, dialect: Dialect) {
  return dialect === 'postgres' ? sql<string>`now()` : sql<string>`${now}`;
}

function leaseEnd({ until, leaseMs }: Lease, dialect: Dialect) {
  return dialect === 'postgres'
    ? sql<string>`now() + ${leaseMs} * interval '1 ms'`
    : sql<string>`${until}`;
}

/**
 * The webhooks that have something to be sent and room for it, whoever waits longest first. Each is asked for, by
 * its own part of the index: one with a long backlog costs the others nothing.
 */
const selectReady = query<{ now: string; perWebhook: number; limit: number }>()(
  (db, parameter, dialect) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('webhook')
          .select('webhook.id')
          .select((select) => [
            select
              .selectFrom('delivery')
              .select('delivery.due_at')
              .whereRef('delivery.webhook_id', '=', 'webhook.id')
              .where('delivery.state', '=', WAITING)
              .where('delivery.due_at', '<=', parameter.now)
              .where((where) =>
                where.or([
                  where('delivery.leased_until', 'is', null),
                  where('delivery.leased_until', '<=', leaseStart(parameter, dialect)),
                ]),
              )
              .orderBy('delivery.due_at')
              .limit(sql<number>`1`)
              .as('oldest'),
            select
              .selectFrom('delivery')
              .select(sql<number>`count(*)`.as('count'))
              .whereRef('delivery.webhook_id', '=', 'webhook.id')
              .where('delivery.leased_until', 'is not', null)
              .where('delivery.leased_until', '>', leaseStart(parameter, dialect))
              .as('busy'),
          ])
          .where('webhook.disabled_at', 'is', null)
          .where(isOwnedNow(parameter.now))
          .where((where) =>
            where.or([
              where('webhook.paused_until', 'is', null),
              where('webhook.paused_until', '<=', parameter.now),
            ]),
          )
          .as('ready'),
      )
      .select(['ready.id', 'ready.busy'])
      .where('ready.oldest', 'is not', null)
      .where('ready.busy', '<', parameter.perWebhook)
      .orderBy('ready.oldest')
      .limit(parameter.limit),
);

/** Choosing and leasing are one statement: no two claims ever get the same delivery. */
const claimOf = query<Lease & { webhookId: string; limit: number }>()((db, parameter, dialect) =>
  db
    .updateTable('delivery')
    .set((column) => ({
      attempts: column('attempts', '+', 1),
      lease: column('lease', '+', 1),
      leased_until: leaseEnd(parameter, dialect),
    }))
    // Nothing is claimed for an owner who lost the feed or the account meanwhile.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook')
          .select('webhook.id')
          .where('webhook.id', '=', parameter.webhookId)
          .where('webhook.disabled_at', 'is', null)
          .where(isOwnedNow(parameter.now)),
      ),
    )
    .where('number', 'in', (from) =>
      from
        .selectFrom('delivery as due')
        .select('due.number')
        .where('due.webhook_id', '=', parameter.webhookId)
        .where('due.state', '=', WAITING)
        .where('due.due_at', '<=', parameter.now)
        .where((where) =>
          where.or([
            where('due.leased_until', 'is', null),
            where('due.leased_until', '<=', leaseStart(parameter, dialect)),
          ]),
        )
        .orderBy('due.due_at')
        .orderBy('due.number')
        .limit(parameter.limit)
        // What another node claims at this moment is left to it.
        .$if(dialect === 'postgres', (due) => due.forUpdate().skipLocked()),
    )
    .returningAll(),
);

const selectWebhook = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('webhook')
    .innerJoin('service', 'service.id', 'webhook.service_id')
    .selectAll('webhook')
    .select('service.slug')
    .select(OWNER_COLUMNS)
    .where('webhook.id', '=', parameter.id),
);

const selectSecrets = query<{ webhookId: string; now: string }>()((db, parameter) =>
  db
    .selectFrom('webhook_secret')
    .select(['number', 'sealed'])
    .where('webhook_id', '=', parameter.webhookId)
    .where((where) =>
      where.or([where('valid_until', 'is', null), where('valid_until', '>', parameter.now)]),
    ),
);

const renewHeld = query<Lease & { id: string; lease: number }>()((db, parameter, dialect) =>
  db
    .updateTable('delivery')
    .set({ leased_until: leaseEnd(parameter, dialect) })
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where(isPresent('leased_until'))
    .returning('number'),
);

interface Settled {
  id: string;
  lease: number;
  state: DeliveryRow['state'];
  dueAt: string;
  status: number | null;
  error: string | null;
  finishedAt: string | null;
}

const settleHeld = query<Settled>()((db, parameter) =>
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

const giveBack = query<{ id: string; lease: number }>()((db, parameter) =>
  db
    .updateTable('delivery')
    .set((column) => ({ attempts: column('attempts', '-', 1), leased_until: null }))
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where(isPresent('leased_until'))
    .returning('number'),
);

const noteSuccess = query<{ id: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set({ failing_since: null, paused_until: null })
    .where('id', '=', parameter.id)
    // Most of the time there is nothing to write.
    .where('failing_since', 'is not', null),
);

const noteFailure = query<{ id: string; at: string; until: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set((column) => ({
      failing_since: column.fn.coalesce('failing_since', sql<string>`${parameter.at}`),
      paused_until: parameter.until,
    }))
    .where('id', '=', parameter.id),
);

export function* claimDeliveries(wish: DeliveryWish): UnitOfWork<readonly ClaimedDelivery[]> {
  const { perWebhook, limit } = wish;
  const lease = leaseFrom(wish);
  const { now } = lease;
  const claimed: ClaimedDelivery[] = [];
  for (const { id, busy } of yield* rows(selectReady, { now, perWebhook, limit })) {
    const left = Math.min(perWebhook - (busy ?? 0), limit - claimed.length);
    if (left <= 0) break;
    const due = yield* rows(claimOf, { ...lease, webhookId: id, limit: left });
    claimed.push(...(yield* complete(id, due, now)));
  }
  return claimed;
}

/** Adds to deliveries of one webhook what is needed to make them. */
function* complete(
  webhookId: string,
  due: readonly DeliveryRow[],
  now: string,
): UnitOfWork<readonly ClaimedDelivery[]> {
  const found = yield* row(selectWebhook, { id: webhookId });
  if (found === undefined) throw new Error('a delivery is for a webhook that does not exist');
  const webhook = fromWebhookRow(found);
  const secrets = (yield* rows(selectSecrets, { webhookId, now }))
    .toSorted((one, other) => other.number - one.number)
    .map(({ sealed }) => sealed);
  const claimed: ClaimedDelivery[] = [];
  // An update returns its rows in any order.
  for (const one of [...due].sort((a, b) => a.number - b.number)) {
    const change = yield* changeOf(one, webhook.service);
    claimed.push({ ...fromDeliveryRow(one), lease: one.lease, webhook, secrets, change });
  }
  return claimed;
}

function* changeOf(one: DeliveryRow, service: string): UnitOfWork<Change | undefined> {
  const { sequence, report_id: reportId, event, created_at } = one;
  if (reportId === null) return undefined;
  return {
    service,
    sequence,
    // What stands behind "report." is the type of the change.
    type: event.slice('report.'.length) as Change['type'],
    reportId,
    at: new Date(created_at),
    report: yield* findReport({ service, id: reportId }),
  };
}

export function* renewDeliveries(
  claimed: readonly ClaimedDelivery[],
  lease: DeliveryLease,
): UnitOfWork<number> {
  let held = 0;
  for (const { id, lease: number } of claimed) {
    const renewed = yield* row(renewHeld, { ...leaseFrom(lease), id, lease: number });
    if (renewed !== undefined) held += 1;
  }
  return held;
}

export function* settleDelivery(
  claimed: ClaimedDelivery,
  outcome: AttemptOutcome,
): UnitOfWork<boolean> {
  const { id, lease, webhookId } = claimed;
  if (outcome.kind === 'released') return (yield* row(giveBack, { id, lease })) !== undefined;
  const disable = outcome.kind === 'dead' ? outcome.disable : undefined;
  // First of all, as everywhere: the webhooks of the feed are counted anew, and none may come meanwhile.
  if (disable !== undefined) yield* lockFeeds([claimed.webhook.service]);
  if ((yield* row(settleHeld, settledBy(claimed, outcome))) === undefined) return false;
  if (outcome.kind === 'delivered') {
    yield* rows(noteSuccess, { id: webhookId });
    return true;
  }
  const { at, pauseUntil } = outcome;
  yield* rows(noteFailure, {
    id: webhookId,
    at: at.toISOString(),
    until: pauseUntil.toISOString(),
  });
  if (disable !== undefined) yield* disableWebhook(webhookId, at, disable);
  return true;
}

function settledBy(
  { id, lease, dueAt }: ClaimedDelivery,
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
