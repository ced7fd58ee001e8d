import { sql } from 'kysely';
import type { Change } from '../../../domain/reports/change.ts';
import type {
  ClaimedDelivery,
  DeliveryClaimRequest,
  DeliveryLease,
} from '../../../ports/webhook-store.ts';
import type { DeliveryRow } from '../../tables.ts';
import { type Dialect, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { reportsById } from '../reports/serialized-reports.ts';
import { isPresent } from '../unindexed-columns.ts';
import { fromDeliveryRow } from './webhook-deliveries.ts';
import { isOwnedNow, OWNER_COLUMNS } from './webhook-owners.ts';
import { fromWebhookRow, WAITING } from './webhook-rows.ts';

/** Begin and end by the clock of this process, and the length. */
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
 * The clocks of nodes may differ, so on PostgreSQL the clock of the database decides. `now()` is
 * the start of the transaction, a constant that an index can be searched for. SQLite has one
 * process.
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
 * Webhooks with a due delivery and fewer than `perWebhook` leases, the longest overdue first. Each
 * webhook is one search in the index, so a long backlog of one costs the others nothing.
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

/** Selecting and leasing are one statement, so two nodes never claim the same delivery. */
const claimDue = query<Lease & { webhookId: string; limit: number }>()((db, parameter, dialect) =>
  db
    .updateTable('delivery')
    .set((column) => ({
      attempts: column('attempts', '+', 1),
      lease: column('lease', '+', 1),
      leased_until: leaseEnd(parameter, dialect),
    }))
    // The owner may have lost the feed or the account since the webhooks were selected.
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
        // Skips deliveries that another node is claiming.
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

const renewLease = query<Lease & { id: string; lease: number }>()((db, parameter, dialect) =>
  db
    .updateTable('delivery')
    .set({ leased_until: leaseEnd(parameter, dialect) })
    .where('id', '=', parameter.id)
    .where('lease', '=', parameter.lease)
    .where(isPresent('leased_until'))
    .returning('number'),
);

export function* claimDeliveries(
  request: DeliveryClaimRequest,
): UnitOfWork<readonly ClaimedDelivery[]> {
  const { perWebhook, limit } = request;
  const lease = leaseFrom(request);
  const { now } = lease;
  const claimed: ClaimedDelivery[] = [];
  for (const { id, busy } of yield* rows(selectReady, { now, perWebhook, limit })) {
    const free = Math.min(perWebhook - (busy ?? 0), limit - claimed.length);
    if (free <= 0) break;
    const due = yield* rows(claimDue, { ...lease, webhookId: id, limit: free });
    claimed.push(...(yield* withSubjects(id, due, now)));
  }
  return claimed;
}

/** Adds the webhook, its secrets and the changes to the deliveries of one webhook. */
function* withSubjects(
  webhookId: string,
  due: readonly DeliveryRow[],
  now: string,
): UnitOfWork<readonly ClaimedDelivery[]> {
  const found = yield* row(selectWebhook, { id: webhookId });
  if (found === undefined) throw new Error('the webhook of a delivery does not exist');
  const webhook = fromWebhookRow(found);
  const secrets = (yield* rows(selectSecrets, { webhookId, now }))
    .toSorted((a, b) => b.number - a.number)
    .map(({ sealed }) => sealed);
  const claimed: ClaimedDelivery[] = [];
  // An update returns its rows in any order.
  for (const delivery of [...due].sort((a, b) => a.number - b.number)) {
    const change = yield* changeOf(delivery, webhook.service);
    const { lease } = delivery;
    claimed.push({ ...fromDeliveryRow(delivery), lease, webhook, secrets, change });
  }
  return claimed;
}

function* changeOf(delivery: DeliveryRow, service: string): UnitOfWork<Change | undefined> {
  const { sequence, report_id: reportId, event, created_at } = delivery;
  if (reportId === null) return undefined;
  return {
    service,
    sequence,
    // An event about a report is `report.` and the type of the change.
    type: event.slice('report.'.length) as Change['type'],
    reportId,
    at: new Date(created_at),
    report: (yield* reportsById([reportId])).get(reportId),
  };
}

export function* renewDeliveries(
  claimed: readonly ClaimedDelivery[],
  lease: DeliveryLease,
): UnitOfWork<number> {
  let held = 0;
  for (const { id, lease: number } of claimed) {
    const renewed = yield* row(renewLease, { ...leaseFrom(lease), id, lease: number });
    if (renewed !== undefined) held += 1;
  }
  return held;
}
