import type { Report } from '../../../domain/reports/report.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Deletion } from '../../../ports/report-store.ts';
import type { ReportRow } from '../../tables.ts';
import { all, each, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { writeAudit } from '../accounts/audit.ts';
import { checkRights, ownsFeed } from '../accounts/permission.ts';
import { appendEvent, takeSequence } from '../feeds/events.ts';
import { lockFeeds } from '../feeds/feed-lock.ts';
import { numberFilter } from '../listing/column-filters.ts';
import { forgetUnused } from '../search/search-terms.ts';
import { fromRow, READ_COLUMNS } from './report-rows.ts';
import { removeTags } from './report-tags.ts';
import { uncountSighting } from './sightings.ts';

const selectReport = query<{ service: string; id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(READ_COLUMNS)
    .select('service.slug')
    .where('report.id', '=', parameter.id)
    .where('service.slug', '=', parameter.service),
);

const selectBody = query<{ service: string; id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select('report.body')
    .where('report.id', '=', parameter.id)
    .where('service.slug', '=', parameter.service),
);

const selectSlugOf = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select('service.slug')
    .where('report.id', '=', parameter.id),
);

const deleteReport = query<{ id: string; service: string; accountId: string; ownsFeed: number }>()(
  (db, parameter) =>
    db
      .deleteFrom('report')
      .where('id', '=', parameter.id)
      // The row that is authorised is the row that is deleted: feed and permission are part of the statement.
      .where(numberFilter('service_id'), '=', (from) =>
        from
          .selectFrom('service')
          .select('service.id')
          .where('service.slug', '=', parameter.service),
      )
      .where((where) =>
        where.or([
          where('reporter_id', '=', parameter.accountId),
          where(where.val(1), '=', parameter.ownsFeed),
        ]),
      )
      .returning([
        'number',
        'service_id',
        'name',
        'tags',
        'host',
        'port',
        'reporter_id',
        'reported_by',
      ]),
);

const insertTombstone = query<{
  report_id: string;
  service_id: number;
  sequence: number;
  deleted_at: string;
  deleted_by: string;
  reason: string;
  reporter_id: string;
}>()((db, parameter) =>
  db
    .insertInto('tombstone')
    .values(
      all(parameter, [
        'report_id',
        'service_id',
        'sequence',
        'deleted_at',
        'deleted_by',
        'reason',
        'reporter_id',
      ]),
    ),
);

export interface ReportPlace {
  readonly service: string;
  readonly id: string;
}

export function* findReport(place: ReportPlace): UnitOfWork<Report | undefined> {
  const found = yield* row(selectReport, place);
  return found && fromRow(found);
}

/** Fetches that wait together. */
export function* fetchReports(
  places: readonly ReportPlace[],
): UnitOfWork<readonly (string | undefined)[]> {
  return (yield* each(selectBody, places)).map(([found]) => found?.body);
}

export interface DeletionByAccount extends Deletion {
  readonly service: string;
  readonly accountId: string;
  readonly ownsFeed: boolean;
  readonly tokenId?: string | undefined;
}

export function* deleteByAccount(
  asked: DeletionByAccount,
): UnitOfWork<'deleted' | 'absent' | 'forbidden' | 'token-ended'> {
  const { id, service, accountId } = asked;
  const isOwner = yield* isOwnerNow(asked);
  if (isOwner === 'token-ended') return isOwner;
  yield* lockFeeds([service]);
  const gone = yield* row(deleteReport, {
    id,
    service,
    accountId,
    ownsFeed: Number(isOwner),
  });
  if (gone === undefined) {
    return (yield* row(selectReport, { service, id })) === undefined ? 'absent' : 'forbidden';
  }
  yield* bury(service, gone, asked);
  yield* writeAudit({ actor: asked.by, at: asked.at }, 'report.delete', id, {
    service,
    as: gone.reporter_id === accountId ? 'creator' : 'owner',
    reportedBy: gone.reported_by,
  });
  return 'deleted';
}

function* isOwnerNow(asked: DeletionByAccount): UnitOfWork<boolean | 'token-ended'> {
  const { service, accountId, tokenId, at: now } = asked;
  if (tokenId === undefined) return asked.ownsFeed;
  const authority = { accountId, tokenId };
  if ((yield* checkRights(authority, { now })) !== undefined) return 'token-ended';
  return asked.ownsFeed && (yield* ownsFeed(authority, service));
}

export function* purgeReport(
  deletion: Deletion,
  audit: AuditContext,
): UnitOfWork<'deleted' | 'absent'> {
  const found = yield* row(selectSlugOf, { id: deletion.id });
  if (found === undefined) return 'absent';
  const { id, reason } = deletion;
  yield* lockFeeds([found.slug]);
  const gone = yield* row(deleteReport, { id, service: found.slug, accountId: '', ownsFeed: 1 });
  if (gone === undefined) return 'absent';
  yield* bury(found.slug, gone, deletion);
  yield* writeAudit(audit, 'report.purge', id, { service: found.slug, reason });
  return 'deleted';
}

type GoneReport = Pick<
  ReportRow,
  'number' | 'service_id' | 'name' | 'tags' | 'host' | 'port' | 'reporter_id' | 'reported_by'
>;

function* bury(service: string, gone: GoneReport, deletion: Deletion): UnitOfWork<void> {
  const place = yield* takeSequence(service);
  const { serviceId, sequence } = place;
  const tags: readonly string[] = JSON.parse(gone.tags);
  yield* removeTags({ serviceId, number: gone.number }, tags);
  yield* uncountSighting(
    { service_id: serviceId, host: gone.host, port: gone.port },
    gone.reporter_id,
  );
  yield* forgetUnused(serviceId, { name: gone.name, tags, host: gone.host });
  const at = deletion.at.toISOString();
  yield* rows(insertTombstone, {
    report_id: deletion.id,
    service_id: serviceId,
    sequence,
    deleted_at: at,
    deleted_by: deletion.by,
    reason: deletion.reason,
    reporter_id: gone.reporter_id,
  });
  yield* appendEvent(place, { type: 'deleted', reportId: deletion.id, at });
}
