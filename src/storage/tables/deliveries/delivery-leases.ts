import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DeliveryLease } from '../../../ports/deliveries.ts';
import type { Tables } from '../../schema/tables.ts';
import { type Dialect, query } from '../../units/query.ts';
import { isPresent } from '../../units/unindexed-columns.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { WAITING } from './delivery-rows.ts';
import { hasKey, isOwnedNow } from './receiving-webhooks.ts';

/** Begin and end by the clock of this process, and the length. */
export interface Lease {
  now: string;
  until: string;
  leaseMs: number;
}

export function leaseFrom({ now, leaseMs }: DeliveryLease): Lease {
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

type Builder = { readonly db: Kysely<Tables>; readonly dialect: Dialect };

interface ReadyValues {
  now: string;
  perDestination: number;
  limit: number | RawBuilder<number>;
}

/**
 * Destinations with a due delivery and fewer than `perDestination` leases, the longest overdue
 * first. Each one is one search in the index, so a long backlog of one costs the others nothing.
 */
function readyDestinations(
  { db, dialect }: Builder,
  parameter: ReadyValues,
  condition: Expression<SqlBool>,
) {
  return db
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
        .where(condition)
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
    .where('ready.busy', '<', parameter.perDestination)
    .orderBy('ready.oldest')
    .limit(parameter.limit);
}

export function readyWebhooks(builder: Builder, parameter: ReadyValues & { keyId: string }) {
  const { now, keyId } = parameter;
  return readyDestinations(
    builder,
    parameter,
    sql`webhook.mail_format is null and ${isOwnedNow(now)} and ${hasKey(keyId)}`,
  );
}

export function readyMail(builder: Builder, parameter: ReadyValues) {
  return readyDestinations(builder, parameter, sql`webhook.mail_format is not null`);
}

export const selectReadyWebhooks = query<ReadyValues & { limit: number; keyId: string }>()(
  (db, parameter, dialect) => readyWebhooks({ db, dialect }, parameter),
);

export const selectReadyMail = query<ReadyValues & { limit: number }>()((db, parameter, dialect) =>
  readyMail({ db, dialect }, parameter),
);

interface LeaseValues extends Lease {
  webhookId: string;
  limit: number;
}

/** Selecting and leasing are one statement, so two nodes never lease the same delivery. */
function leaseDue(
  { db, dialect }: Builder,
  parameter: LeaseValues,
  condition: Expression<SqlBool>,
) {
  return (
    db
      .updateTable('delivery')
      .set((column) => ({
        attempts: column('attempts', '+', 1),
        lease: column('lease', '+', 1),
        leased_until: leaseEnd(parameter, dialect),
      }))
      // The destination may have changed since it was selected.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('webhook')
            .select('webhook.id')
            .where('webhook.id', '=', parameter.webhookId)
            .where('webhook.disabled_at', 'is', null)
            .where(condition),
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
          // Skips deliveries that another node is leasing.
          .$if(dialect === 'postgres', (due) => due.forUpdate().skipLocked()),
      )
      .returningAll()
  );
}

export const leaseOfWebhook = query<LeaseValues>()((db, parameter, dialect) =>
  leaseDue({ db, dialect }, parameter, isOwnedNow(parameter.now)),
);

export const leaseOfMail = query<LeaseValues>()((db, parameter, dialect) =>
  leaseDue({ db, dialect }, parameter, sql`webhook.mail_format is not null`),
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

/** Returns the number of leases still held. */
export function* renewLeases(
  leased: readonly { readonly id: string; readonly lease: number }[],
  lease: DeliveryLease,
): UnitOfWork<number> {
  let held = 0;
  for (const { id, lease: number } of leased) {
    const renewed = yield* row(renewLease, { ...leaseFrom(lease), id, lease: number });
    if (renewed !== undefined) held += 1;
  }
  return held;
}
