import { all, query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';

const COLUMNS = ['id', 'account_id', 'created_at', 'body', 'size_bytes'] as const;

interface SubmissionRow {
  readonly id: string;
  readonly account_id: string;
  readonly created_at: string;
  readonly body: string;
  readonly size_bytes: number;
}

export const insertSubmission = query<SubmissionRow>()((db, parameter) =>
  db.insertInto('taxii_status').values(all(parameter, COLUMNS)),
);

const selectSubmission = query<{ id: string; accountId: string }>()((db, parameter) =>
  db
    .selectFrom('taxii_status')
    .select('body')
    .where('id', '=', parameter.id)
    .where('account_id', '=', parameter.accountId),
);

export const selectOld = query<{ before: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('taxii_status')
    .select('id')
    .where('created_at', '<', parameter.before)
    .orderBy('created_at')
    .limit(parameter.limit),
);

export const remove = query<{ id: string }>()((db, parameter) =>
  db
    .deleteFrom('taxii_status')
    .where('id', '=', parameter.id)
    .returning(['account_id as accountId', 'size_bytes as bytes']),
);

export function* findSubmission(id: string, accountId: string): UnitOfWork<string | undefined> {
  return (yield* row(selectSubmission, { id, accountId }))?.body;
}
