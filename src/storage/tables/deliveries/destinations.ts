import { sql } from 'kysely';
import type { Pause } from '../../../domain/deliveries/retries.ts';
import { query } from '../../units/query.ts';

/**
 * What webhooks and mail have in common: deliveries refer to a destination, which is a row of
 * `webhook`. Rows of mail have a `mail_format`.
 */

/** Counts again instead of adding and subtracting, so that an error cannot persist. */
export const countEnabled = query<{ serviceId: number }>()((db, parameter) =>
  db
    .updateTable('service')
    .set((to) => ({
      webhook_count: to
        .selectFrom('webhook')
        .select(sql<number>`count(*)`.as('count'))
        .where('webhook.service_id', '=', parameter.serviceId)
        .where('webhook.disabled_at', 'is', null),
    }))
    .where('id', '=', parameter.serviceId),
);

/** A removed destination is disabled too, so that no deliveries are queued for it. */
export const markRemoved = query<{ id: string; at: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set({ removed_at: parameter.at, disabled_at: parameter.at })
    .where('id', '=', parameter.id),
);

export const endPause = query<{ id: string }>()((db, parameter) =>
  db.updateTable('webhook').set({ paused_until: null }).where('id', '=', parameter.id),
);

export const recordSuccess = query<{ id: string }>()((db, parameter) =>
  db
    .updateTable('webhook')
    .set({ failing_since: null, failing_delivery: null, paused_until: null })
    .where('id', '=', parameter.id)
    // Avoids a write for each delivery to a healthy endpoint.
    .where('failing_since', 'is not', null),
);

/** One statement, because two deliveries to a destination may fail at the same time. */
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

export const recordFailureBy: Readonly<Record<Pause, ReturnType<typeof recordFailure>>> = {
  always: recordFailure('always'),
  repeated: recordFailure('repeated'),
  never: recordFailure('never'),
};
