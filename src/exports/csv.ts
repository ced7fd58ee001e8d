import { formatC2Address } from '../domain/reports/c2-address.ts';
import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { isMisrouted } from '../domain/reports/report.ts';
import { optionOf } from './block-list.ts';
import { oneLine } from './characters.ts';
import { csvRecord, inert, joinTexts } from './csv-record.ts';
import type { ExportContext, Exporter } from './exporter.ts';

type Value = (report: ExportedReport, context: ExportContext) => unknown;

/**
 * The members of an extended report, with the values of the API. Readers address columns by
 * position too: new ones are appended.
 */
const COLUMNS: readonly (readonly [name: string, value: Value])[] = [
  ['id', (report) => report.id],
  ['name', (report) => report.name],
  ['tags', (report) => joinTexts(report.tags)],
  ['c2Address', (report) => formatC2Address(report.c2)],
  ['reportedAt', (report) => seconds(report.reportedAt).replace('T', ' ')],
  ['reportedBy', (report) => report.reportedBy],
  ['file256Hash', (report) => report.sha256],
  ['firstSeenID', (report) => report.firstSeenId],
  ['referenceLink', (report) => report.reference],
  ['confidenceScore', (report) => report.confidence],
  ['service', (report) => report.service],
  ['sequence', (report) => report.sequence],
  ['status', (report) => report.status],
  ['statusReason', (report) => report.statusReason ?? ''],
  ['updatedAt', (report) => `${seconds(report.updatedAt)}Z`],
  ['expiresAt', (report) => `${seconds(report.expiresAt)}Z`],
  ['corroboration', (report) => report.corroboration],
  ['sightings', (report) => report.sightings],
  ['recurrence', (report) => report.recurrence],
  ['confirmation', (report) => report.confirmation],
  ['misrouted', isMisrouted],
  ['routedTo', (report) => report.routedTo ?? ''],
  ['knownAs', knownAs],
];

function knownAs(report: ExportedReport, { lists }: ExportContext): string {
  return joinTexts(lists.ofReport(report).map(({ list, kind }) => `${kind}: ${list}`));
}

const FIELDS = [
  'id',
  'name',
  'tags',
  'c2',
  'reportedAt',
  'reportedBy',
  'sha256',
  'firstSeenId',
  'reference',
  'confidence',
  'service',
  'sequence',
  'status',
  'statusReason',
  'updatedAt',
  'expiresAt',
  'corroboration',
  'sightings',
  'recurrence',
  'confirmation',
  'routedTo',
] as const;

/**
 * RFC 4180: every field in quotes, lines end with CRLF. The end mark is the only line that does
 * not begin with a quote; `end=0` leaves it out, for programs that read every line as a record. The
 * flavour `spreadsheet` keeps programs from evaluating fields.
 */
export const csv: Exporter = {
  format: 'csv',
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  order: 'creation',
  fields: FIELDS,
  options: { flavour: ['plain', 'spreadsheet'], end: ['1', '0'] },
  open(context) {
    const guard = optionOf(csv, context, 'flavour') === 'spreadsheet' ? inert : oneLine;
    const recordOf = (fields: readonly unknown[]) =>
      csvRecord(fields.map((field) => guard(String(field))));
    const hasEnd = optionOf(csv, context, 'end') === '1';
    let rows = 0;
    return {
      start: () => recordOf(COLUMNS.map(([name]) => name)),
      report(report) {
        rows += 1;
        return recordOf(COLUMNS.map(([, value]) => value(report, context)));
      },
      end: (digest) => (hasEnd ? `# END rows=${rows} sha256=${digest()}\r\n` : ''),
    };
  },
};

/** Without milliseconds and zone, as the API shows times. */
function seconds(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}
