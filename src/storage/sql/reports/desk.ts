import { sql } from 'kysely';
import { expiryAfter, isUnresolved, type ReportStatus } from '../../../domain/reports/desk.ts';
import type { DeskAct, StatusOutcome, StatusTarget } from '../../../ports/feed-store.ts';
import { all, each, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { writeAudit } from '../accounts/audit.ts';
import { checkRights } from '../accounts/permission.ts';
import { appendEvent, type Place, Sequences } from '../feeds/events.ts';
import { numbersOf, toList } from '../json-arrays.ts';
import { numberFilter } from '../listing/column-filters.ts';
import { listNumbers } from '../listing/list-reports.ts';
import { COUNTED_NOW } from './sightings.ts';

/** Locks the feed until the commit, so that what is read now is what is changed. */
const lockOwnFeed = query<{ slug: string; accountId: string }>()((db, parameter) =>
  db
    .updateTable('service')
    .set({ last_sequence: sql<number>`last_sequence` })
    .where('slug', '=', parameter.slug)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('account_service')
          .select('account_service.account_id')
          .whereRef('account_service.service_id', '=', 'service.id')
          .where('account_service.account_id', '=', parameter.accountId),
      ),
    )
    .returning(['id', 'expire_after_days as expireAfterDays']),
);

const COLUMNS = [
  'report.id',
  'report.status',
  'report.status_reason',
  'report.status_note',
  'report.expires_at',
] as const;

/** One at a time: joined with a list of ids, a planner may read the whole feed and look for each report in the list. */
const selectById = query<{ serviceId: number; id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(COLUMNS)
    .where('report.id', '=', parameter.id)
    .where(numberFilter('report.service_id'), '=', parameter.serviceId),
);

const selectByNumbers = query<{ numbers: string }>()((db, parameter, dialect) =>
  db
    .selectFrom(numbersOf(parameter.numbers, dialect).as('wanted'))
    .crossJoin('report')
    .select(COLUMNS)
    .whereRef('report.number', '=', 'wanted.value'),
);

interface Settings {
  id: string;
  serviceId: number;
  status: ReportStatus;
  status_reason: string | null;
  status_note: string | null;
  status_by: string;
  expires_at: string;
  updated_at: string;
  sequence: number;
}

const setReport = query<Settings>()((db, parameter) =>
  db
    .updateTable('report')
    .set({
      ...all(parameter, [
        'status',
        'status_reason',
        'status_note',
        'status_by',
        'expires_at',
        'updated_at',
        'sequence',
      ]),
      ...COUNTED_NOW,
    })
    .where('id', '=', parameter.id)
    // The feed that was found to be the account's own is the feed whose report is changed.
    .where(numberFilter('service_id'), '=', parameter.serviceId),
);

interface DeskRow {
  readonly id: string;
  readonly status: ReportStatus;
  readonly status_reason: string | null;
  readonly status_note: string | null;
  readonly expires_at: string;
}

export function* setStatus(
  target: StatusTarget,
  audit: DeskAct,
): UnitOfWork<StatusOutcome | 'forbidden' | 'token-ended'> {
  const { service } = target;
  const { accountId, tokenId, at: now } = audit;
  // Before every slice of a long change.
  if (tokenId !== undefined && (yield* checkRights({ accountId, tokenId }, { now })) !== undefined)
    return 'token-ended';
  const feed = yield* row(lockOwnFeed, { slug: service, accountId: audit.accountId });
  if (feed === undefined) return 'forbidden';
  const { found, absent, next } = yield* findTargets(target, feed.id);
  const changing = found.filter((report) => !isSo(report, audit));
  const sequences = new Sequences(changing.map(() => ({ service })));
  for (const report of changing) {
    // The feed is there: it was locked.
    const place = (yield* sequences.take(service)) as Place;
    yield* changeStatus({ report, audit, place });
  }
  if (changing.length > 0) yield* recordStatus(target, audit, changing);
  return { changed: changing.length, absent, next };
}

/** One entry for all reports of the transaction: a desk that closes thousands at once must not flood the log. */
function* recordStatus(
  { service, ids, filter }: StatusTarget,
  { actor, at, status, reason }: DeskAct,
  changing: readonly DeskRow[],
): UnitOfWork<void> {
  const [only] = changing;
  const isOne = ids?.length === 1 && only !== undefined;
  yield* writeAudit({ actor, at }, 'report.status', isOne ? only.id : service, {
    service,
    status,
    ...(reason !== undefined && { reason }),
    changed: changing.length,
    ...(ids === undefined && { filter }),
  });
}

interface Targets {
  readonly found: readonly DeskRow[];
  readonly absent: readonly string[];
  readonly next: string | undefined;
}

function* findTargets(target: StatusTarget, serviceId: number): UnitOfWork<Targets> {
  const { service: scope, ids, filter = {}, after, limit } = target;
  if (ids === undefined) {
    const page = yield* listNumbers({ scope, filter, order: 'asc', after, limit });
    const found = yield* rows(selectByNumbers, { numbers: toList(page.numbers) });
    return { found, absent: [], next: page.next };
  }
  const wanted = [...new Set(ids)];
  const found = (yield* each(
    selectById,
    wanted.map((id) => ({ serviceId, id })),
  )).flat();
  const there = new Set(found.map(({ id }) => id));
  return { found, absent: wanted.filter((id) => !there.has(id)), next: undefined };
}

function isSo(report: DeskRow, { status, reason, note }: DeskAct): boolean {
  return (
    report.status === status &&
    report.status_reason === (reason ?? null) &&
    report.status_note === (note ?? null)
  );
}

interface Step {
  readonly report: DeskRow;
  readonly audit: DeskAct;
  readonly place: Place;
}

function* changeStatus({ report, audit, place }: Step): UnitOfWork<void> {
  const at = audit.at.toISOString();
  yield* rows(setReport, {
    id: report.id,
    serviceId: place.serviceId,
    status: audit.status,
    status_reason: audit.reason ?? null,
    status_note: audit.note ?? null,
    status_by: audit.actor,
    expires_at: expiryOf({ report, audit, place }),
    updated_at: at,
    sequence: place.sequence,
  });
  yield* appendEvent(place, { type: 'updated', reportId: report.id, at });
}

/** What is taken up again has its whole time before it; otherwise it would be over at once. */
function expiryOf({ report, audit, place }: Step): string {
  const isTakenUp = !isUnresolved(report.status) && isUnresolved(audit.status);
  return isTakenUp ? expiryAfter(audit.at, place.expireAfterDays).toISOString() : report.expires_at;
}
