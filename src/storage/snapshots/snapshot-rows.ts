import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { SnapshotQuery } from '../../ports/feed-snapshots.ts';
import type { ReportRow } from '../schema/tables.ts';

/** `rejection_sequence` is no column of the table; the statement looks it up. */
export type Column = keyof ReportRow | 'rejection_sequence';

const COLUMNS: Readonly<Record<keyof ExportedReport, readonly Column[]>> = {
  number: ['number'],
  id: ['id'],
  service: ['service_id'],
  sequence: ['sequence'],
  createdSequence: ['created_sequence'],
  dayPart: ['day_part'],
  name: ['name'],
  tags: ['tags'],
  c2: ['host', 'port'],
  sha256: ['sha256'],
  reportedBy: ['reported_by'],
  reportedAt: ['reported_at'],
  firstSeenId: ['first_seen_id'],
  reference: ['reference'],
  confidence: ['confidence'],
  status: ['status'],
  statusReason: ['status_reason'],
  updatedAt: ['updated_at'],
  addedAt: ['added_at'],
  expiresAt: ['expires_at'],
  corroboration: ['corroboration'],
  sightings: ['sightings'],
  recurrence: ['recurrence'],
  confirmation: ['confirmation'],
  rejectionSequence: ['rejection_sequence'],
  routedTo: ['routed_to'],
  body: ['body'],
};

const ALL = Object.keys(COLUMNS) as readonly (keyof ExportedReport)[];

/** Merged ranges are sorted by columns that are selected. */
const SORTED: Readonly<Record<SnapshotQuery['order'], readonly (keyof ExportedReport)[]>> = {
  creation: ['number'],
  address: ['c2', 'number'],
  file: ['sha256', 'number'],
};

/** The columns that a query reads. */
export function columnsOf({ order, fields = ALL }: SnapshotQuery): readonly Column[] {
  const read = new Set([...SORTED[order], ...fields]);
  return ALL.filter((field) => read.has(field)).flatMap((field) => COLUMNS[field]);
}

/** Turns rows of `columnsOf` into reports. Millions are read, so the columns are found once. */
export function rowReader(
  query: SnapshotQuery,
  slugs: ReadonlyMap<number, string>,
): (row: readonly unknown[]) => ExportedReport {
  const columns = columnsOf(query);
  const at = Object.fromEntries(
    // A column that was not read is beyond the end of the row.
    ALL.flatMap((field) => COLUMNS[field]).map((column) => {
      const index = columns.indexOf(column);
      return [column, index === -1 ? columns.length : index];
    }),
  ) as Readonly<Record<Column, number>>;
  const tagsOf = tagParser();
  return (row) => {
    const tags = row[at.tags];
    return {
      number: row[at.number],
      id: row[at.id],
      service: slugs.get(row[at.service_id] as number),
      sequence: row[at.sequence],
      createdSequence: row[at.created_sequence],
      dayPart: row[at.day_part],
      name: row[at.name],
      tags: tags === undefined ? [] : tagsOf(tags as string),
      c2: { host: row[at.host], port: row[at.port] },
      sha256: row[at.sha256],
      reportedBy: row[at.reported_by],
      reportedAt: row[at.reported_at],
      firstSeenId: row[at.first_seen_id],
      reference: row[at.reference],
      confidence: row[at.confidence],
      status: row[at.status],
      statusReason: row[at.status_reason] ?? undefined,
      updatedAt: row[at.updated_at],
      addedAt: timeOf(row[at.added_at]),
      expiresAt: row[at.expires_at],
      corroboration: row[at.corroboration],
      sightings: row[at.sightings],
      recurrence: row[at.recurrence] === 1,
      confirmation: row[at.confirmation],
      rejectionSequence: row[at.rejection_sequence] ?? undefined,
      routedTo: row[at.routed_to] ?? undefined,
      body: row[at.body],
      // The columns have the types of these members.
    } as ExportedReport;
  };
}

const REMEMBERED_TAGS = 1000;

/** Many reports have the same tags. */
function tagParser(): (json: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (json) => {
    let tags = known.get(json);
    if (tags === undefined) {
      tags = JSON.parse(json) as readonly string[];
      if (known.size >= REMEMBERED_TAGS) known.clear();
      known.set(json, tags);
    }
    return tags;
  };
}

/** From milliseconds; `undefined` if the column was not read. */
function timeOf(milliseconds: unknown): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds as number).toISOString();
}
