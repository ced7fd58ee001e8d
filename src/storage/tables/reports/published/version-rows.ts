import type {
  ExportedReport,
  WithdrawnReport,
} from '../../../../domain/reports/exported-report.ts';
import type { PublishedVersion } from '../../../../ports/published-versions.ts';
import type { ReportRow } from '../../../schema/tables.ts';
import { REJECTION_SEQUENCE } from '../rejected-c2s.ts';

const COLUMNS = [
  'report.added_at',
  'report.number',
  'report.id',
  'report.sequence',
  'report.created_sequence',
  'report.name',
  'report.tags',
  'report.host',
  'report.port',
  'report.sha256',
  'report.reported_by',
  'report.reported_at',
  'report.first_seen_id',
  'report.reference',
  'report.confidence',
  'report.status',
  'report.status_reason',
  'report.updated_at',
  'report.expires_at',
  'report.corroboration',
  'report.sightings',
  'report.recurrence',
  'report.confirmation',
  'report.routed_to',
  'report.body',
  'report.day_part',
] as const satisfies readonly `report.${keyof ReportRow}`[];

/** The columns of an `ExportedReport` but the slug of its feed. */
export const REPORT_COLUMNS = [...COLUMNS, REJECTION_SEQUENCE.as('rejection_sequence')] as const;

/** The values of these columns. */
export type ReportTuple = readonly [
  addedAt: number,
  number: number,
  id: string,
  sequence: number,
  createdSequence: number,
  name: string,
  tags: string,
  host: string,
  port: number,
  sha256: string,
  reportedBy: string,
  reportedAt: string,
  firstSeenId: string,
  reference: string,
  confidence: number,
  status: ReportRow['status'],
  statusReason: string | null,
  updatedAt: string,
  expiresAt: string,
  corroboration: number,
  sightings: number,
  recurrence: number,
  confirmation: ReportRow['confirmation'],
  routedTo: string | null,
  body: string,
  dayPart: number,
  rejectionSequence: number | null,
];

export const TOMBSTONE_COLUMNS = [
  'tombstone.added_at',
  'tombstone.number',
  'tombstone.report_id',
  'tombstone.sequence',
  'tombstone.created_sequence',
  'tombstone.name',
  'tombstone.host',
  'tombstone.port',
  'tombstone.sha256',
  'tombstone.reported_at',
  'tombstone.deleted_at',
  'tombstone.day_part',
] as const;

/** The values of these columns if `added_at` is present. */
export type TombstoneTuple = readonly [
  addedAt: number,
  number: number,
  id: string,
  sequence: number,
  createdSequence: number,
  name: string,
  host: string,
  port: number,
  sha256: string,
  reportedAt: string,
  deletedAt: string,
  dayPart: number,
];

/** Other columns may follow those of the tuple. */
export function toExported(
  service: string,
  tuple: readonly [...ReportTuple, ...unknown[]],
): PublishedVersion {
  const addedAt = new Date(tuple[0]);
  const report: ExportedReport = {
    number: tuple[1],
    id: tuple[2],
    service,
    sequence: tuple[3],
    createdSequence: tuple[4],
    dayPart: tuple[25],
    name: tuple[5],
    tags: JSON.parse(tuple[6]),
    c2: { host: tuple[7], port: tuple[8] },
    sha256: tuple[9],
    reportedBy: tuple[10],
    reportedAt: tuple[11],
    firstSeenId: tuple[12],
    reference: tuple[13],
    confidence: tuple[14],
    status: tuple[15],
    statusReason: tuple[16] ?? undefined,
    updatedAt: tuple[17],
    addedAt: addedAt.toISOString(),
    expiresAt: tuple[18],
    corroboration: tuple[19],
    sightings: tuple[20],
    recurrence: tuple[21] !== 0,
    confirmation: tuple[22],
    routedTo: tuple[23] ?? undefined,
    rejectionSequence: tuple[26] ?? undefined,
    body: tuple[24],
  };
  return { addedAt, report };
}

export function toWithdrawn(
  service: string,
  tuple: readonly [...TombstoneTuple, ...unknown[]],
): PublishedVersion {
  const addedAt = new Date(tuple[0]);
  const withdrawn: WithdrawnReport = {
    number: tuple[1],
    id: tuple[2],
    service,
    sequence: tuple[3],
    createdSequence: tuple[4],
    dayPart: tuple[11],
    name: tuple[5],
    c2: { host: tuple[6], port: tuple[7] },
    sha256: tuple[8],
    reportedAt: tuple[9],
    addedAt: addedAt.toISOString(),
    deletedAt: tuple[10],
  };
  return { addedAt, withdrawn };
}
