import type { Created, RetryKey } from '../../ports/report-store.ts';
import { all, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';

const DAY_MS = 86_400_000;

const selectKey = query<{ accountId: string; route: string; key: string }>()((db, hole) =>
  db
    .selectFrom('idempotency')
    .select(['fingerprint', 'answer', 'created_at'])
    .where('account_id', '=', hole.accountId)
    .where('route', '=', hole.route)
    .where('key', '=', hole.key),
);

const putKey = query<{
  account_id: string;
  route: string;
  key: string;
  fingerprint: Uint8Array;
  answer: string;
  created_at: string;
}>()((db, hole) =>
  db
    .insertInto('idempotency')
    .values(all(hole, ['account_id', 'route', 'key', 'fingerprint', 'answer', 'created_at']))
    // Only one that has run out can be in the way: a live one was answered before.
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'route', 'key'])
        .doUpdateSet(all(hole, ['fingerprint', 'answer', 'created_at'])),
    ),
);

const deleteBefore = query<{ before: string }>()((db, hole) =>
  db.deleteFrom('idempotency').where('created_at', '<', hole.before),
);

/** What the first call with this key was answered, where that is less than a day ago. */
export function* findRetry(
  accountId: string,
  retry: RetryKey,
  now: Date,
): UnitOfWork<Created | undefined> {
  const { route, key, fingerprint } = retry;
  const earlier = yield* row(selectKey, { accountId, route, key });
  if (earlier === undefined || now.getTime() - Date.parse(earlier.created_at) >= DAY_MS)
    return undefined;
  if (Buffer.compare(earlier.fingerprint, fingerprint) !== 0) return { kind: 'key-reused' };
  return { kind: 'replayed', id: earlier.answer };
}

export function* keepRetry(
  accountId: string,
  retry: RetryKey,
  answer: string,
  at: string,
): UnitOfWork<void> {
  const { route, key, fingerprint } = retry;
  yield* rows(putKey, { account_id: accountId, route, key, fingerprint, answer, created_at: at });
}

export function* forgetRetryKeys(before: Date): UnitOfWork<void> {
  yield* rows(deleteBefore, { before: before.toISOString() });
}
