import { sql } from 'kysely';
import type {
  AuditContext,
  AuditEntry,
  AuditPage,
  AuditPageRequest,
} from '../../ports/audit-context.ts';
import type { AuditRow } from '../schema/tables.ts';
import { all, query } from './query.ts';
import { row, rows, type UnitOfWork } from './unit-of-work.ts';

const insertEntry = query<Omit<AuditRow, 'id'>>()((db, parameter) =>
  db.insertInto('audit').values(all(parameter, ['at', 'actor', 'action', 'subject', 'detail'])),
);

/** The entries that one call with a filter reads. There is no index on what it filters by. */
const MAX_SCANNED_ENTRIES = 2000;

const selectBefore = query<{ before: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('audit')
    .selectAll()
    .where('id', '<', parameter.before)
    .orderBy('id', 'desc')
    .limit(parameter.limit),
);

interface Filter {
  actor: string;
  action: string;
  actionPrefix: string;
  subject: string;
}

/** An empty text is no condition. */
const selectMatching = query<Filter & { before: number; scanned: number; limit: number }>()(
  (db, parameter) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('audit')
          .selectAll()
          .where('id', '<', parameter.before)
          .orderBy('id', 'desc')
          .limit(parameter.scanned)
          .as('recent'),
      )
      .selectAll()
      .where(sql<boolean>`(${parameter.actor} = '' or actor = ${parameter.actor})`)
      .where(sql<boolean>`(${parameter.subject} = '' or subject = ${parameter.subject})`)
      .where(
        sql<boolean>`(${parameter.action} = '' or action = ${parameter.action}
          or substr(action, 1, length(${parameter.actionPrefix})) = ${parameter.actionPrefix})`,
      )
      .orderBy('id', 'desc')
      .limit(parameter.limit),
);

/** The entry at which a scan of so many entries ends; none if the log ends before. */
const selectScanEnd = query<{ before: number; skipped: number }>()((db, parameter) =>
  db
    .selectFrom('audit')
    .select('id')
    .where('id', '<', parameter.before)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(parameter.skipped),
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

export function* listAudit(page: AuditPageRequest): UnitOfWork<AuditPage> {
  const { limit, before = Number.MAX_SAFE_INTEGER, actor, action, subject } = page;
  // The extra row shows whether there is a next page.
  const size = limit + 1;
  const isFiltered = [actor, action, subject].some((value) => value !== undefined);
  if (!isFiltered) return pageOf(yield* rows(selectBefore, { before, limit: size }), limit);
  const found = yield* rows(selectMatching, {
    before,
    scanned: MAX_SCANNED_ENTRIES,
    limit: size,
    actor: actor ?? '',
    action: action ?? '',
    actionPrefix: `${action}.`,
    subject: subject ?? '',
  });
  const matching = pageOf(found, limit);
  if (matching.nextBefore !== undefined) return matching;
  const end = yield* row(selectScanEnd, { before, skipped: MAX_SCANNED_ENTRIES - 1 });
  return { entries: matching.entries, nextBefore: end?.id };
}

function pageOf(found: readonly AuditRow[], limit: number): AuditPage {
  const entries = found.slice(0, limit).map(fromRow);
  return { entries, nextBefore: found.length > limit ? entries.at(-1)?.id : undefined };
}

function fromRow(row: AuditRow): AuditEntry {
  return { ...row, at: new Date(row.at), detail: JSON.parse(row.detail) };
}
