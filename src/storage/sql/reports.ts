import { nameReport, type Report } from '../../domain/report.ts';
import type { Act, Created, Deletion, NewReport } from '../../ports/store.ts';
import type { NewReportRow, ReportRow } from '../tables.ts';
import { all, ONE, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { note } from './audit.ts';
import { appendEvent, Sequences, takeSequence } from './feed.ts';
import { findRetry, keepRetry } from './retry-keys.ts';
import { familyBySha256 } from './samples.ts';

const COLUMNS = [
  'id',
  'service_id',
  'created_sequence',
  'sequence',
  'name',
  'tags',
  'host',
  'port',
  'sha256',
  'reporter_id',
  'reported_by',
  'reported_at',
  'first_seen_id',
  'reference',
  'confidence',
] as const satisfies readonly (keyof ReportRow)[];

const insertReport = query<NewReportRow>()((db, hole) =>
  db.insertInto('report').values(all(hole, COLUMNS)),
);

const selectFirstSeen = query<{ serviceId: number; host: string; port: number }>()((db, hole) =>
  db
    .selectFrom('report')
    .select('id')
    .where('service_id', '=', hole.serviceId)
    .where('host', '=', hole.host)
    .where('port', '=', hole.port)
    .orderBy('created_sequence')
    .limit(ONE),
);

const selectReport = query<{ service: string; id: string }>()((db, hole) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .selectAll('report')
    .select('service.slug')
    .where('report.id', '=', hole.id)
    .where('service.slug', '=', hole.service),
);

const selectSlugOf = query<{ id: string }>()((db, hole) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select('service.slug')
    .where('report.id', '=', hole.id),
);

const deleteReport = query<{ id: string; service: string; accountId: string; ownsFeed: number }>()(
  (db, hole) =>
    db
      .deleteFrom('report')
      .where('id', '=', hole.id)
      // The row that is authorised is the row that is deleted: feed and permission are part of the statement.
      .where('service_id', '=', (from) =>
        from.selectFrom('service').select('service.id').where('service.slug', '=', hole.service),
      )
      .where((where) =>
        where.or([
          where('reporter_id', '=', hole.accountId),
          where(where.val(1), '=', hole.ownsFeed),
        ]),
      )
      .returning('id'),
);

const insertTombstone = query<{
  report_id: string;
  service_id: number;
  sequence: number;
  deleted_at: string;
  deleted_by: string;
  reason: string;
}>()((db, hole) =>
  db
    .insertInto('tombstone')
    .values(
      all(hole, ['report_id', 'service_id', 'sequence', 'deleted_at', 'deleted_by', 'reason']),
    ),
);

/** Creates that wait together, in the order in which they came. */
export function* createReports(reports: readonly NewReport[]): UnitOfWork<readonly Created[]> {
  const answers: Created[] = [];
  const sequences = new Sequences(reports);
  for (const report of reports) answers.push(yield* createReport(report, sequences));
  yield* sequences.giveBack();
  return answers;
}

function* createReport(report: NewReport, sequences: Sequences): UnitOfWork<Created> {
  if (report.retry !== undefined) {
    const earlier = yield* findRetry(report.reporterId, report.retry, report.reportedAt);
    if (earlier !== undefined) return earlier;
  }
  const place = yield* sequences.take(report.service);
  if (place === undefined) return { kind: 'unknown-service' };
  const { serviceId, sequence } = place;
  const first = yield* row(selectFirstSeen, {
    serviceId,
    host: report.c2.host,
    port: report.c2.port,
  });
  const family = yield* familyBySha256(Buffer.from(report.sha256, 'hex'));
  const reportedAt = report.reportedAt.toISOString();
  yield* rows(insertReport, {
    id: report.id,
    service_id: serviceId,
    created_sequence: sequence,
    sequence,
    name: nameReport(family, report.tags),
    tags: JSON.stringify(report.tags),
    host: report.c2.host,
    port: report.c2.port,
    sha256: report.sha256,
    reporter_id: report.reporterId,
    reported_by: report.reportedBy,
    reported_at: reportedAt,
    first_seen_id: first?.id ?? report.id,
    reference: report.reference,
    confidence: report.confidence,
  });
  yield* appendEvent({ serviceId, sequence, type: 'created', reportId: report.id, at: reportedAt });
  if (report.retry !== undefined)
    yield* keepRetry(report.reporterId, report.retry, report.id, reportedAt);
  return { kind: 'created', id: report.id };
}

export interface ReportPlace {
  readonly service: string;
  readonly id: string;
}

/** Fetches that wait together. */
export function* findReports(
  places: readonly ReportPlace[],
): UnitOfWork<readonly (Report | undefined)[]> {
  const reports: (Report | undefined)[] = [];
  for (const place of places) {
    const found = yield* row(selectReport, place);
    reports.push(found && fromRow(found));
  }
  return reports;
}

export interface DeletionByAccount extends Deletion {
  readonly service: string;
  readonly accountId: string;
  readonly ownsFeed: boolean;
}

export function* deleteByAccount(
  asked: DeletionByAccount,
): UnitOfWork<'deleted' | 'absent' | 'forbidden'> {
  const { id, service, accountId } = asked;
  const gone = yield* row(deleteReport, {
    id,
    service,
    accountId,
    ownsFeed: Number(asked.ownsFeed),
  });
  if (gone === undefined) {
    return (yield* row(selectReport, { service, id })) === undefined ? 'absent' : 'forbidden';
  }
  yield* bury(service, asked);
  return 'deleted';
}

export function* purgeReport(deletion: Deletion, act: Act): UnitOfWork<'deleted' | 'absent'> {
  const found = yield* row(selectSlugOf, { id: deletion.id });
  if (found === undefined) return 'absent';
  yield* rows(deleteReport, { id: deletion.id, service: found.slug, accountId: '', ownsFeed: 1 });
  yield* bury(found.slug, deletion);
  yield* note(act, 'report.purge', deletion.id, { service: found.slug, reason: deletion.reason });
  return 'deleted';
}

function* bury(service: string, deletion: Deletion): UnitOfWork<void> {
  const place = yield* takeSequence(service);
  if (place === undefined) throw new Error('a report was deleted from a feed that does not exist');
  const { serviceId, sequence } = place;
  const at = deletion.at.toISOString();
  yield* rows(insertTombstone, {
    report_id: deletion.id,
    service_id: serviceId,
    sequence,
    deleted_at: at,
    deleted_by: deletion.by,
    reason: deletion.reason,
  });
  yield* appendEvent({ serviceId, sequence, type: 'deleted', reportId: deletion.id, at });
}

function fromRow(row: ReportRow & { readonly slug: string }): Report {
  return {
    id: row.id,
    service: row.slug,
    sequence: row.sequence,
    name: row.name,
    tags: JSON.parse(row.tags),
    c2: { host: row.host, port: row.port },
    reportedAt: new Date(row.reported_at),
    reporterId: row.reporter_id,
    reportedBy: row.reported_by,
    sha256: row.sha256,
    firstSeenId: row.first_seen_id,
    reference: row.reference,
    confidence: row.confidence,
  };
}
