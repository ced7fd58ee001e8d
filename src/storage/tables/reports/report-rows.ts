import type { Report } from '../../../domain/reports/report.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { NewReportRow, ReportRow } from '../../schema/tables.ts';
import { COLUMNS } from './report-changes.ts';

/** Without the serialized report, which is longer than all other columns together. */
export const READ_COLUMNS = ([...COLUMNS, 'status_by'] as const)
  .filter((column) => column !== 'body' && column !== 'added_at' && column !== 'day_part')
  .map((column) => `report.${column}` as const);

type AnswerColumn =
  | 'acted_at'
  | 'acted_bucket'
  | 'acknowledged_at'
  | 'acknowledged_bucket'
  | 'judgement';

export type ReadRow = Omit<ReportRow, AnswerColumn | 'body' | 'added_at' | 'day_part'> & {
  readonly slug: string;
};

export interface ReportKeys {
  readonly number: number;
  readonly serviceId: number;
}

export interface NewReportKeys extends ReportKeys {
  readonly addedAt: number;
  readonly dayPart: number;
}

export function toRow(
  report: Report,
  { number, serviceId, addedAt, dayPart }: NewReportKeys,
  serializers: Serializers,
): NewReportRow {
  const reportedAt = report.reportedAt.toISOString();
  const isUnchanged = report.updatedAt === report.reportedAt;
  const updatedAt = isUnchanged ? reportedAt : report.updatedAt.toISOString();
  return {
    number,
    id: report.id,
    service_id: serviceId,
    created_sequence: report.createdSequence,
    sequence: report.sequence,
    name: report.name,
    tags: JSON.stringify(report.tags),
    host: report.c2.host,
    port: report.c2.port,
    sha256: report.sha256,
    reporter_id: report.reporterId,
    reported_by: report.reportedBy,
    reported_at: reportedAt,
    first_seen_id: report.firstSeenId,
    reference: report.reference,
    confidence: report.confidence,
    status: report.status,
    status_reason: report.statusReason ?? null,
    status_note: report.statusNote ?? null,
    updated_at: updatedAt,
    expires_at: report.expiresAt.toISOString(),
    corroboration: report.corroboration,
    sightings: report.sightings,
    recurrence: Number(report.recurrence),
    confirmation: report.confirmation,
    routed_to: report.routedTo ?? null,
    body: serializers.report(report),
    added_at: addedAt,
    day_part: dayPart,
  };
}

export function fromRow(row: ReadRow): Report {
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
    createdSequence: row.created_sequence,
    status: row.status,
    statusReason: row.status_reason ?? undefined,
    statusNote: row.status_note ?? undefined,
    statusBy: row.status_by ?? undefined,
    updatedAt: new Date(row.updated_at),
    expiresAt: new Date(row.expires_at),
    corroboration: row.corroboration,
    sightings: row.sightings,
    recurrence: row.recurrence !== 0,
    confirmation: row.confirmation,
    routedTo: row.routed_to ?? undefined,
  };
}
