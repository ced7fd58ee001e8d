import { nameReport, type Report } from '../../domain/report.ts';
import type { Act, Created, Deletion, NewReport, ReadyForms } from '../../ports/store.ts';
import type { NewReportRow, ReportRow } from '../tables.ts';
import { all, ONE, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { note } from './audit.ts';
import { familyBySha256 } from './digests.ts';
import { appendEvent, Sequences, takeSequence } from './feed.ts';
import { findRetry, keepRetry } from './retry-keys.ts';

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
  'body',
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

const selectBody = query<{ service: string; id: string }>()((db, hole) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select('report.body')
    .where('report.id', '=', hole.id)
    .where('service.slug', '=', hole.service),
);

const selectOfFile = query<{ sha256: string }>()((db, hole) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .selectAll('report')
    .select('service.slug')
    .where('report.sha256', '=', hole.sha256)
    .orderBy('report.id'),
);

const renameReport = query<NewReportRow>()((db, hole) =>
  db
    .updateTable('report')
    .set(all(hole, ['name', 'sequence', 'body']))
    .where('id', '=', hole.id),
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
export function* createReports(
  reports: readonly NewReport[],
  forms: ReadyForms,
): UnitOfWork<readonly Created[]> {
  const answers: Created[] = [];
  const sequences = new Sequences(reports);
  for (const report of reports) answers.push(yield* createReport(report, sequences, forms));
  yield* sequences.giveBack();
  return answers;
}

function* createReport(
  asked: NewReport,
  sequences: Sequences,
  forms: ReadyForms,
): UnitOfWork<Created> {
  const { id, service, c2, retry, reporterId, reportedAt } = asked;
  if (retry !== undefined) {
    const earlier = yield* findRetry(reporterId, retry, reportedAt);
    if (earlier !== undefined) return earlier;
  }
  const place = yield* sequences.take(service);
  if (place === undefined) return { kind: 'unknown-service' };
  const { serviceId, sequence } = place;
  const first = yield* row(selectFirstSeen, { serviceId, host: c2.host, port: c2.port });
  const family = yield* familyBySha256(asked.sha256);
  const report = {
    ...asked,
    sequence,
    name: nameReport(family, asked.tags),
    firstSeenId: first?.id ?? id,
  };
  yield* rows(insertReport, toRow(report, serviceId, forms));
  const at = reportedAt.toISOString();
  yield* appendEvent({ serviceId, sequence, type: 'created', reportId: id, at });
  if (retry !== undefined) yield* keepRetry(reporterId, retry, id, at);
  return { kind: 'created', id };
}

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
  const bodies: (string | undefined)[] = [];
  for (const place of places) bodies.push((yield* row(selectBody, place))?.body);
  return bodies;
}

/** The reports of a file take a new name: the analysis of the file has arrived, or says something else. */
export function* renameReportsOf(
  sha256: string,
  family: string | undefined,
  at: string,
  forms: ReadyForms,
): UnitOfWork<void> {
  for (const found of yield* rows(selectOfFile, { sha256 })) {
    const report = fromRow(found);
    const name = nameReport(family, report.tags);
    if (name === report.name) continue;
    const place = yield* takeSequence(report.service);
    if (place === undefined) throw new Error('a report stands in a feed that does not exist');
    const { serviceId, sequence } = place;
    yield* rows(renameReport, toRow({ ...report, name, sequence }, serviceId, forms));
    yield* appendEvent({ serviceId, sequence, type: 'updated', reportId: report.id, at });
  }
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

function toRow(report: Report, serviceId: number, forms: ReadyForms): NewReportRow {
  return {
    id: report.id,
    service_id: serviceId,
    created_sequence: report.sequence,
    sequence: report.sequence,
    name: report.name,
    tags: JSON.stringify(report.tags),
    host: report.c2.host,
    port: report.c2.port,
    sha256: report.sha256,
    reporter_id: report.reporterId,
    reported_by: report.reportedBy,
    reported_at: report.reportedAt.toISOString(),
    first_seen_id: report.firstSeenId,
    reference: report.reference,
    confidence: report.confidence,
    body: forms.report(report),
  };
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
