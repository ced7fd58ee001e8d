import { sql } from 'kysely';
import { DAY_MS } from '../../../domain/duration.ts';
import type { Created, RetryKey } from '../../../ports/report-store.ts';
import { all, each, query, rows, type UnitOfWork } from '../../unit-of-work.ts';

const selectKey = query<{ accountId: string; route: string; key: string }>()((db, parameter) =>
  db
    .selectFrom('idempotency')
    .select(['fingerprint', 'answer', 'created_at'])
    .where('account_id', '=', parameter.accountId)
    .where('route', '=', parameter.route)
    .where('key', '=', parameter.key),
);

interface KeyValues {
  account_id: string;
  route: string;
  key: string;
  fingerprint: Uint8Array;
  answer: string;
  created_at: string;
}

const putKey = query<KeyValues>()((db, parameter) =>
  db
    .insertInto('idempotency')
    .values(all(parameter, ['account_id', 'route', 'key', 'fingerprint', 'answer', 'created_at']))
    // Only one that has run out can be in the way: a live one was answered before.
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'route', 'key']).doUpdateSet({
        fingerprint: sql<Uint8Array>`excluded.fingerprint`,
        answer: sql<string>`excluded.answer`,
        created_at: sql<string>`excluded.created_at`,
      }),
    ),
);

const selectOld = query<{ before: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('idempotency')
    .select(['account_id', 'route', 'key'])
    .where('created_at', '<', parameter.before)
    .orderBy('created_at')
    .limit(parameter.limit),
);

const deleteOld = query<Pick<KeyValues, 'account_id' | 'route' | 'key'> & { before: string }>()(
  (db, parameter) =>
    db
      .deleteFrom('idempotency')
      .where('account_id', '=', parameter.account_id)
      .where('route', '=', parameter.route)
      .where('key', '=', parameter.key)
      // Read from the row, not from the index of times: a key that was used again meanwhile stays.
      .where(sql<boolean>`case when created_at < ${parameter.before} then 1 else 0 end = 1`),
);

/** A call that may come again. */
export interface Retried {
  readonly reporterId: string;
  readonly retry: RetryKey | undefined;
  readonly reportedAt: Date;
}

interface Earlier {
  readonly fingerprint: Uint8Array;
  readonly answer: string;
}

/** What calls that come together were answered before; their feeds must be locked by then. */
export class RetryKeys {
  readonly #earlier = new Map<string, Earlier>();
  readonly #kept: KeyValues[] = [];

  *load(calls: readonly Retried[]): UnitOfWork<void> {
    const keyed = calls.filter(({ retry }) => retry !== undefined);
    const found = yield* each(
      selectKey,
      keyed.map(({ reporterId, retry }) => ({
        accountId: reporterId,
        route: retry?.route ?? '',
        key: retry?.key ?? '',
      })),
    );
    for (const [place, call] of keyed.entries()) {
      const earlier = found[place]?.[0];
      // Less than a day ago.
      if (earlier === undefined) continue;
      if (call.reportedAt.getTime() - Date.parse(earlier.created_at) >= DAY_MS) continue;
      this.#earlier.set(nameOf(call), earlier);
    }
  }

  /** What the first call with this key was answered. */
  find(call: Retried): Created | undefined {
    const earlier = call.retry && this.#earlier.get(nameOf(call));
    if (earlier === undefined || call.retry === undefined) return undefined;
    if (Buffer.compare(earlier.fingerprint, call.retry.fingerprint) !== 0)
      return { kind: 'key-reused' };
    return { kind: 'replayed', id: earlier.answer };
  }

  keep(call: Retried, answer: string): void {
    if (call.retry === undefined) return;
    const { route, key, fingerprint } = call.retry;
    this.#earlier.set(nameOf(call), { fingerprint, answer });
    const created_at = call.reportedAt.toISOString();
    this.#kept.push({ account_id: call.reporterId, route, key, fingerprint, answer, created_at });
  }

  *write(): UnitOfWork<void> {
    yield* each(putKey, this.#kept);
  }
}

function nameOf({ reporterId, retry }: Retried): string {
  return JSON.stringify([reporterId, retry?.route, retry?.key]);
}

/** Removes the oldest, at most `limit`, and returns how many it found. */
export function* forgetRetryKeys(before: Date, limit: number): UnitOfWork<number> {
  const bound = { before: before.toISOString() };
  const old = yield* rows(selectOld, { ...bound, limit });
  yield* each(
    deleteOld,
    old.map((key) => ({ ...key, ...bound })),
  );
  return old.length;
}
