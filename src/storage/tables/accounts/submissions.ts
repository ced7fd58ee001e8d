import type { Submission } from '../../../ports/submission-store.ts';
import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { addStatusBytes, subtractStatusBytes } from './account-usage.ts';

const COLUMNS = ['id', 'account_id', 'created_at', 'body', 'size_bytes'] as const;

interface SubmissionRow {
  readonly id: string;
  readonly account_id: string;
  readonly created_at: string;
  readonly body: string;
  readonly size_bytes: number;
}

const insertSubmission = query<SubmissionRow>()((db, parameter) =>
  db.insertInto('taxii_status').values(all(parameter, COLUMNS)),
);

const selectSubmission = query<{ id: string; accountId: string }>()((db, parameter) =>
  db
    .selectFrom('taxii_status')
    .select('body')
    .where('id', '=', parameter.id)
    .where('account_id', '=', parameter.accountId),
);

const selectOld = query<{ before: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('taxii_status')
    .select('id')
    .where('created_at', '<', parameter.before)
    .orderBy('created_at')
    .limit(parameter.limit),
);

const remove = query<{ id: string }>()((db, parameter) =>
  db
    .deleteFrom('taxii_status')
    .where('id', '=', parameter.id)
    .returning(['account_id as accountId', 'size_bytes as bytes']),
);

export function* findSubmission(id: string, accountId: string): UnitOfWork<string | undefined> {
  return (yield* row(selectSubmission, { id, accountId }))?.body;
}

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
