import { sql } from 'kysely';
import { query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const addBytes = query<{ account_id: string; stored_bytes: number; limit: number }>()(
  (db, parameter) =>
    db
      .insertInto('account_usage')
      .values({ account_id: parameter.account_id, stored_bytes: parameter.stored_bytes })
      .onConflict((conflict) =>
        conflict
          .column('account_id')
          .doUpdateSet({
            stored_bytes: sql<number>`account_usage.stored_bytes + excluded.stored_bytes`,
          })
          .where(
            sql<boolean>`account_usage.stored_bytes + excluded.stored_bytes <= ${parameter.limit}`,
          ),
      )
      .returning('stored_bytes'),
);

// Not below zero: during an upgrade, nodes of an older version store samples without counting them.
const subtractBytes = query<{ account_id: string; bytes: number }>()((db, parameter) =>
  db
    .updateTable('account_usage')
    .set({
      stored_bytes: sql<number>`case when stored_bytes > ${parameter.bytes} then stored_bytes - ${parameter.bytes} else 0 end`,
    })
    .where('account_id', '=', parameter.account_id),
);

const selectBytes = query<{ account_id: string }>()((db, parameter) =>
  db
    .selectFrom('account_usage')
    .select('stored_bytes')
    .where('account_id', '=', parameter.account_id),
);

const addStatus = query<{ account_id: string; bytes: number }>()((db, parameter) =>
  db
    .insertInto('account_usage')
    .values({ account_id: parameter.account_id, stored_bytes: 0, status_bytes: parameter.bytes })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({
        status_bytes: sql<number>`account_usage.status_bytes + excluded.status_bytes`,
      }),
    ),
);

const subtractStatus = query<{ account_id: string; bytes: number }>()((db, parameter) =>
  db
    .updateTable('account_usage')
    .set({
      status_bytes: sql<number>`case when status_bytes > ${parameter.bytes} then status_bytes - ${parameter.bytes} else 0 end`,
    })
    .where('account_id', '=', parameter.account_id),
);

const selectStatus = query<{ account_id: string }>()((db, parameter) =>
  db
    .selectFrom('account_usage')
    .select('status_bytes')
    .where('account_id', '=', parameter.account_id),
);

interface StoredBytes {
  readonly accountId: string;
  readonly bytes: number;
}

/** Adds the bytes. `false` if the total would exceed the limit: then nothing is changed. */
export function* addStoredBytes(
  { accountId, bytes }: StoredBytes,
  limit: number,
): UnitOfWork<boolean> {
  // The statement tests the limit only on conflict, when the account has a row.
  if (bytes > limit) return false;
  const values = { account_id: accountId, stored_bytes: bytes, limit };
  return (yield* row(addBytes, values)) !== undefined;
}

export function* subtractStoredBytes({ accountId, bytes }: StoredBytes): UnitOfWork<void> {
  yield* rows(subtractBytes, { account_id: accountId, bytes });
}

export function* storedBytesOf(accountId: string): UnitOfWork<number> {
  return (yield* row(selectBytes, { account_id: accountId }))?.stored_bytes ?? 0;
}

/** The bytes of the statuses of submissions. */
export function* addStatusBytes({ accountId, bytes }: StoredBytes): UnitOfWork<void> {
  yield* rows(addStatus, { account_id: accountId, bytes });
}

/** In the order of the accounts, so that two nodes cannot lock each other's rows. */
export function* subtractStatusBytes(used: readonly StoredBytes[]): UnitOfWork<void> {
  const byAccount = Map.groupBy(used, ({ accountId }) => accountId);
  for (const account_id of [...byAccount.keys()].sort()) {
    const bytes = (byAccount.get(account_id) ?? []).reduce((sum, one) => sum + one.bytes, 0);
    yield* rows(subtractStatus, { account_id, bytes });
  }
}

export function* statusBytesOf(accountId: string): UnitOfWork<number> {
  return (yield* row(selectStatus, { account_id: accountId }))?.status_bytes ?? 0;
}
