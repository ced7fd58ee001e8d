import { deletesAs } from '../../../domain/reports/deletion.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { ReportDeletion } from '../../../ports/report-store.ts';
import { checkRights, ownsFeed } from '../../tables/accounts/permission.ts';
import { takeSequence } from '../../tables/feeds/sequences.ts';
import { uncountSighting } from '../../tables/reports/c2-history.ts';
import { removeFromHost } from '../../tables/reports/host-reports.ts';
import { deleteReport, insertTombstone } from '../../tables/reports/report-changes.ts';
import { removeTags } from '../../tables/reports/report-tags.ts';
import { findReport, selectSlugOf } from '../../tables/reports/reports.ts';
import { removeStatusChanges } from '../../tables/reports/status-changes.ts';
import { deleteUnusedTerms } from '../../tables/search/search-terms.ts';
import { keepJudgement } from '../../tables/statistics/judgements.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockFeeds } from '../../units/locks.ts';
import { inParallel, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { appendEvent } from './append-events.ts';
import { type DeletedReport, uncountReport } from './uncount-report.ts';

export interface DeletionByAccount extends ReportDeletion {
  readonly service: string;
  readonly accountId: string;
  readonly ownsFeed: boolean;
  readonly tokenId?: string | undefined;
}

/** The rights are checked again: the request may have waited. */
export function* deleteByAccount(
  deletion: DeletionByAccount,
): UnitOfWork<'deleted' | 'absent' | 'forbidden' | 'token-ended'> {
  const { id, service, accountId } = deletion;
  const ownsFeed = yield* ownsFeedNow(deletion);
  if (ownsFeed === 'token-ended') return ownsFeed;
  const { found } = yield* inParallel({
    feedLock: lockFeeds([service]),
    found: findReport({ service, id }),
  });
  if (found === undefined) return 'absent';

  const as = deletesAs(found, { accountId, ownsFeed });
  if (as === undefined) return 'forbidden';

  if (!(yield* removeReport(service, deletion))) return 'absent';
  const { by: actor, at } = deletion;
  const { reportedBy } = found;
  yield* writeAudit({ actor, at }, 'report.delete', id, { service, as, reportedBy });
  return 'deleted';
}

function* ownsFeedNow(deletion: DeletionByAccount): UnitOfWork<boolean | 'token-ended'> {
  const { service, accountId, tokenId, at: now } = deletion;
  if (tokenId === undefined) return deletion.ownsFeed;
  const authority = { accountId, tokenId };
  if ((yield* checkRights(authority, { now })) !== undefined) return 'token-ended';
  return deletion.ownsFeed && (yield* ownsFeed(authority, service));
}

export function* purgeReport(
  deletion: ReportDeletion,
  audit: AuditContext,
): UnitOfWork<'deleted' | 'absent'> {
  const { id, reason } = deletion;
  const service = (yield* row(selectSlugOf, { id }))?.slug;
  if (service === undefined) return 'absent';
  yield* lockFeeds([service]);
  if (!(yield* removeReport(service, deletion))) return 'absent';
  yield* writeAudit(audit, 'report.purge', id, { service, reason });
  return 'deleted';
}

/** Returns whether there was such a report. The caller has locked the feed. */
function* removeReport(service: string, deletion: ReportDeletion): UnitOfWork<boolean> {
  const deleted = yield* row(deleteReport, { id: deletion.id, service });
  if (deleted === undefined) return false;
  yield* writeTombstone(service, deleted, deletion);
  return true;
}

/** Removes what refers to the deleted report, and appends the deletion to its feed. */
function* writeTombstone(
  service: string,
  deleted: DeletedReport,
  deletion: ReportDeletion,
): UnitOfWork<void> {
  const position = yield* takeSequence(service, deletion.at);
  const { serviceId, sequence, addedAt } = position;
  const tags: readonly string[] = JSON.parse(deleted.tags);
  yield* removeTags({ serviceId, number: deleted.number }, tags);
  yield* removeFromHost({ serviceId, host: deleted.host, number: deleted.number });
  const { counts, judgement } = yield* uncountReport(service, deleted);
  if (judgement !== undefined) yield* keepJudgement(deleted, judgement);
  yield* removeStatusChanges(deleted.number);
  yield* uncountSighting(
    { service_id: serviceId, host: deleted.host, port: deleted.port },
    deleted.reporter_id,
  );
  yield* deleteUnusedTerms(serviceId, { name: deleted.name, tags, host: deleted.host });
  const at = deletion.at.toISOString();
  yield* rows(insertTombstone, {
    report_id: deletion.id,
    service_id: serviceId,
    sequence,
    deleted_at: at,
    deleted_by: deletion.by,
    reason: deletion.reason,
    reporter_id: deleted.reporter_id,
    added_at: addedAt,
    number: deleted.number,
    created_sequence: deleted.created_sequence,
    name: deleted.name,
    host: deleted.host,
    port: deleted.port,
    sha256: deleted.sha256,
    reported_at: deleted.reported_at,
    judgement: judgement ?? null,
    day_part: deleted.day_part,
  });
  yield* appendEvent(position, { type: 'deleted', reportId: deletion.id, at });
  yield* counts.write();
}
