import type { Act } from '../../../ports/act.ts';
import type { AuditEntry } from '../../../ports/store.ts';
import type { AuditRow } from '../../tables.ts';
import { all, query, rows, type UnitOfWork } from '../../unit-of-work.ts';

const insertEntry = query<Omit<AuditRow, 'id'>>()((db, hole) =>
  db.insertInto('audit').values(all(hole, ['at', 'actor', 'action', 'subject', 'detail'])),
);

const selectBefore = query<{ before: number; limit: number }>()((db, hole) =>
  db
    .selectFrom('audit')
    .selectAll()
    .where('id', '<', hole.before)
    .orderBy('id', 'desc')
    .limit(hole.limit),
);

/** Every administrative unit of work ends with this, so that no act can go unrecorded. */
export function* note(
  act: Act,
  action: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): UnitOfWork<void> {
  const { actor, at } = act;
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
