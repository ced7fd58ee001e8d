import type { Submission } from '../../ports/submission-store.ts';
import { addStatusBytes, subtractStatusBytes } from '../tables/accounts/account-usage.ts';
import { insertSubmission, remove, selectOld } from '../tables/accounts/submissions.ts';
import { rows, type UnitOfWork } from '../units/unit-of-work.ts';

export function* addSubmission({ id, accountId, createdAt, body }: Submission): UnitOfWork<void> {
  const bytes = Buffer.byteLength(body);
  const created_at = createdAt.toISOString();
  yield* rows(insertSubmission, { id, account_id: accountId, created_at, body, size_bytes: bytes });
  yield* addStatusBytes({ accountId, bytes });
}

export function* deleteOldSubmissions(before: Date, limit: number): UnitOfWork<number> {
  const old = yield* rows(selectOld, { before: before.toISOString(), limit });
  const deleted = [];
  // Another node may have deleted it meanwhile, and subtracted its bytes.
  for (const { id } of old) deleted.push(...(yield* rows(remove, { id })));
  yield* subtractStatusBytes(deleted);
  return old.length;
}
