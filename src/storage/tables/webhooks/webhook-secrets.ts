import { sql } from 'kysely';
import type { SealedSecret } from '../../../ports/outgoing.ts';
import { query } from '../../units/query.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** Every delivery carries a signature for each valid secret. */
const MAX_SECRETS = 4;

const insertSecret = query<SealedSecret & { webhookId: string }>()((db, parameter) =>
  db.insertInto('webhook_secret').values((to) => ({
    webhook_id: parameter.webhookId,
    sealed: parameter.sealed,
    key_id: parameter.keyId,
    number: to
      .selectFrom('webhook_secret as other')
      .select(sql<number>`coalesce(max(other.number), 0) + 1`.as('number'))
      .where('other.webhook_id', '=', parameter.webhookId),
  })),
);

const endSecrets = query<{ webhookId: string; until: string }>()((db, parameter) =>
  db
    .updateTable('webhook_secret')
    .set({ valid_until: parameter.until })
    .where('webhook_id', '=', parameter.webhookId)
    .where((where) =>
      where.or([where('valid_until', 'is', null), where('valid_until', '>', parameter.until)]),
    ),
);

const deleteOldSecrets = query<{ webhookId: string; at: string; limit: number }>()(
  (db, parameter) =>
    db
      .deleteFrom('webhook_secret')
      .where('webhook_id', '=', parameter.webhookId)
      .where((where) =>
        where.or([
          where('valid_until', '<=', parameter.at),
          where(
            'number',
            '<=',
            where
              .selectFrom('webhook_secret as other')
              .select(sql<number>`max(other.number) - ${parameter.limit}`.as('number'))
              .where('other.webhook_id', '=', parameter.webhookId),
          ),
        ]),
      ),
);

export function* addSecret(webhookId: string, secret: SealedSecret): UnitOfWork<void> {
  yield* rows(insertSecret, { webhookId, ...secret });
}

/** Adds a secret; the old ones stay valid until `oldUntil` at most. */
export function* replaceSecret(
  webhookId: string,
  secret: SealedSecret,
  { oldUntil, now }: { readonly oldUntil: Date; readonly now: Date },
): UnitOfWork<void> {
  yield* rows(endSecrets, { webhookId, until: oldUntil.toISOString() });
  yield* addSecret(webhookId, secret);
  yield* rows(deleteOldSecrets, { webhookId, at: now.toISOString(), limit: MAX_SECRETS });
}
