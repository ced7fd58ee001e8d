import type { Change, ExaminedReport, ExtendedReport } from '../../client/wire.ts';
import { fields, showReport, visible } from '../output/show.ts';
import { table } from '../output/table.ts';

/** `service` is set in the changes of all feeds. */
export interface FeedChange extends Change {
  readonly service?: string | undefined;
}

export const ALL_FEEDS = 'all';

/** Columns of constant width come first, so that they line up across pages. */
export function reportTable(reports: readonly ExtendedReport[], isAllFeeds: boolean): string {
  return table(
    [
      ...['REPORTED', 'ID', ...(isAllFeeds ? ['SERVICE'] : [])],
      ...['STATUS', 'CONFIRMATION', 'CONFIDENCE', 'SIGHTINGS', 'C2', 'NAME', 'TAGS', 'BY'],
    ],
    reports.map((report) => [
      ...[report.reportedAt, report.id, ...(isAllFeeds ? [report.service] : [])],
      ...[statusOf(report), report.confirmation, String(report.confidenceScore)],
      ...[
        sightingsOf(report),
        addressOf(report),
        report.name,
        report.tags.join(', '),
        report.reportedBy,
      ],
    ]),
  );
}

export function changeTable(changes: readonly FeedChange[], isAllFeeds: boolean): string {
  return table(
    [...(isAllFeeds ? ['SERVICE'] : []), 'NUMBER', 'CHANGE', 'ID', 'STATUS', 'C2', 'NAME'],
    changes.map((change) => [
      ...(isAllFeeds ? [change.service ?? ''] : []),
      ...[String(change.sequence), change.type, change.id],
      ...reportCells(change.report),
    ]),
  );
}

const TYPE_CELLS = 'created'.length;

/** One change as a line that does not depend on the width of other lines. */
export function changeLine(change: Omit<FeedChange, 'type'> & { readonly type: string }): string {
  const { service, sequence, type, id, report } = change;
  return [
    ...(service === undefined ? [] : [service]),
    ...[String(sequence), type.padEnd(TYPE_CELLS), id],
    ...reportCells(report).map((text) => text || '-'),
  ]
    .map(visible)
    .join('  ');
}

function reportCells(report: ExtendedReport | undefined): readonly string[] {
  return report === undefined ? ['', '', ''] : [statusOf(report), report.c2Address, report.name];
}

function statusOf({ status, statusReason }: ExtendedReport): string {
  return statusReason === null ? status : `${status} (${statusReason})`;
}

function sightingsOf({ sightings, recurrence }: ExtendedReport): string {
  return `${sightings}${recurrence ? ', came back' : ''}`;
}

/** Names the feed to which a misrouted C2 belongs. */
function addressOf({ c2Address, misrouted, routedTo }: ExtendedReport): string {
  return misrouted ? `${c2Address} (belongs to ${routedTo})` : c2Address;
}

const CONFIRMATIONS: Readonly<Record<ExaminedReport['confirmation'], string>> = {
  confirmed: 'yes, the configuration in the file names this C2',
  contradicted: 'no, the configuration in the file names other C2s',
  unknown: 'not known: no analysis with a comparable C2',
};

/** A report with its status, sightings and corroboration. */
export function showExtended(report: ExtendedReport | ExaminedReport): string {
  const { statusNote = '', updatedAt, expiresAt, sightings, corroboration, recurrence } = report;
  const { misrouted, routedTo } = report;
  const note = statusNote.split(/[\r\n]+/).filter((line) => line !== '');
  return [
    showReport(report),
    '',
    fields([
      ['service', report.service],
      ['status', statusOf(report)],
      ...(report.statusBy === undefined ? [] : [['set by', report.statusBy] as const]),
      ...note.map((line, index) => [index === 0 ? 'note' : '', line] as const),
      ['updated', `${updatedAt} as number ${report.sequence}`],
      ['expires', expiresAt],
      ['sightings', `${sightings}, corroborated by ${corroboration} others`],
      ['came back', recurrence ? 'after it was acted on' : 'no'],
      // An older server sends these in single reports only, or not at all.
      ['confirmed', CONFIRMATIONS[report.confirmation]],
      ['belongs to', `${routedTo ?? 'no service'}${misrouted ? ', not to this feed' : ''}`],
      ...(report.misrouted ? [['belongs to', report.routedTo ?? ''] as const] : []),
    ]),
  ].join('\n');
}
