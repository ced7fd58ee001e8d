import type { AuditContext } from '../../../ports/audit-context.ts';
import type { AuditEntry } from '../../../ports/store.ts';
import type { AuditRow } from '../../tables.ts';
import { all, query, rows, type UnitOfWork } from '../../unit-of-work.ts';

const insertEntry = query<Omit<AuditRow, 'id'>>()((db, parameter) =>
  db.insertInto('audit').values(all(parameter, ['at', 'actor', 'action', 'subject', 'detail'])),
);

const selectBefore = query<{ before: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('audit')
    .selectAll()
    .where('id', '<', parameter.before)
    .orderBy('id', 'desc')
    .limit(parameter.limit),
);

/** Every administrative unit of work ends with this, so that no action is unrecorded. */
export function* writeAudit(
  audit: AuditContext,
  action: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): UnitOfWork<void> {
  const { actor, at } = audit;
  yield* rows(insertEntry, {
    at: at.toISOString(),
    actor,
    action,
    subject,
    detail: JSON.stringify(detail),
  });
}

export function* listAudit(
  limit: number,
  before: number | undefined,
): UnitOfWork<readonly AuditEntry[]> {
  const found = yield* rows(selectBefore, { before: before ?? Number.MAX_SAFE_INTEGER, limit });
  return found.map(fromRow);
}

function fromRow(row: AuditRow): AuditEntry {
  return { ...row, at: new Date(row.at), detail: JSON.parse(row.detail) };
}
