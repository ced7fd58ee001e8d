import { sql } from 'kysely';
import {
  answerToRetry,
  type KeyedAnswer,
  type RetryAnswer,
} from '../../../domain/reports/retry-key.ts';
import type { RetryKey } from '../../../ports/report-store.ts';
import { all, query } from '../../units/query.ts';
import { each, eachDeferred, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

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
    // A conflicting row has expired: for a valid one the stored answer was returned.
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
      // Not by the index of times: the row is checked, so a key that was used again concurrently
      // stays.
      .where(sql<boolean>`case when created_at < ${parameter.before} then 1 else 0 end = 1`),
);

/** A create with the members that its retry key needs. */
export interface RetriableCall {
  readonly reporterId: string;
  readonly retry: RetryKey | undefined;
  readonly reportedAt: Date;
}

/** The stored answers of a batch of calls. The caller has locked their feeds. */
export class RetryKeys {
  readonly #earlier = new Map<string, KeyedAnswer>();
  readonly #added: KeyValues[] = [];

  *load(calls: readonly RetriableCall[]): UnitOfWork<void> {
    const keyed = calls.filter(({ retry }) => retry !== undefined);
    const found = yield* each(
      selectKey,
      keyed.map(({ reporterId, retry }) => ({
        accountId: reporterId,
        route: retry?.route ?? '',
        key: retry?.key ?? '',
      })),
    );
    for (const [index, call] of keyed.entries()) {
      const earlier = found[index]?.[0];
      if (earlier === undefined) continue;
      const { fingerprint, answer: reportId, created_at } = earlier;
      this.#earlier.set(keyTextOf(call), { fingerprint, reportId, at: new Date(created_at) });
    }
  }

  /** The answer to the first call with this key. */
  find(call: RetriableCall): RetryAnswer | undefined {
    if (call.retry === undefined) return undefined;
    const { fingerprint } = call.retry;
    const earlier = this.#earlier.get(keyTextOf(call));
    return answerToRetry({ fingerprint, at: call.reportedAt }, earlier);
  }

  add(call: RetriableCall, reportId: string): void {
    if (call.retry === undefined) return;
    const { reporterId, reportedAt: at } = call;
    const { route, key, fingerprint } = call.retry;
    this.#earlier.set(keyTextOf(call), { fingerprint, reportId, at });
    const created_at = at.toISOString();
    const value = { fingerprint, answer: reportId, created_at };
    this.#added.push({ account_id: reporterId, route, key, ...value });
  }

  *write(): UnitOfWork<void> {
    yield* eachDeferred(putKey, this.#added);
  }
}

function keyTextOf({ reporterId, retry }: RetriableCall): string {
  return JSON.stringify([reporterId, retry?.route, retry?.key]);
}

/** Deletes the oldest keys, at most `limit`. Returns the number of old keys found. */
export function* deleteOldRetryKeys(before: Date, limit: number): UnitOfWork<number> {
  const cutoff = { before: before.toISOString() };
  const old = yield* rows(selectOld, { ...cutoff, limit });
  yield* each(
    deleteOld,
    old.map((key) => ({ ...key, ...cutoff })),
  );
  return old.length;
}
