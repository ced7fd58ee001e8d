import type { Change, ExtendedReport } from '../../client/wire.ts';
import { fields, showReport, visible } from '../output/show.ts';
import { table } from '../output/table.ts';

/** Of all feeds it is said which. */
export interface ChangeOfSome extends Change {
  readonly service?: string | undefined;
}

export const ALL_FEEDS = 'all';

/** What is as wide in every row comes first, so that the columns of one page stand above those of the next. */
export function reportTable(reports: readonly ExtendedReport[], isOfAll: boolean): string {
  return table(
    [
      ...['REPORTED', 'ID', ...(isOfAll ? ['SERVICE'] : [])],
      ...['STATUS', 'CONFIDENCE', 'SIGHTINGS', 'C2', 'NAME', 'TAGS', 'BY'],
    ],
    reports.map((report) => [
      ...[report.reportedAt, report.id, ...(isOfAll ? [report.service] : [])],
      ...[statusOf(report), String(report.confidenceScore), sightingsOf(report)],
      ...[report.c2Address, report.name, report.tags.join(', '), report.reportedBy],
    ]),
  );
}

export function changeTable(changes: readonly ChangeOfSome[], isOfAll: boolean): string {
  return table(
    [...(isOfAll ? ['SERVICE'] : []), 'NUMBER', 'CHANGE', 'ID', 'STATUS', 'C2', 'NAME'],
    changes.map((change) => [
      ...(isOfAll ? [change.service ?? ''] : []),
      ...[String(change.sequence), change.type, change.id],
      ...aboutReport(change.report),
    ]),
  );
}

const TYPE_CELLS = 'created'.length;

/** A line that can be written before the next one is known. */
export function changeLine(change: Omit<ChangeOfSome, 'type'> & { readonly type: string }): string {
  const { service, sequence, type, id, report } = change;
  return [
    ...(service === undefined ? [] : [service]),
    ...[String(sequence), type.padEnd(TYPE_CELLS), id],
    ...aboutReport(report).map((text) => text || '-'),
  ]
    .map(visible)
    .join('  ');
}

function aboutReport(report: ExtendedReport | undefined): readonly string[] {
  return report === undefined ? ['', '', ''] : [statusOf(report), report.c2Address, report.name];
}

function statusOf({ status, statusReason }: ExtendedReport): string {
  return statusReason === null ? status : `${status} (${statusReason})`;
}

function sightingsOf({ sightings, recurrence }: ExtendedReport): string {
  return `${sightings}${recurrence ? ', came back' : ''}`;
}

/** A report, and what has become of it. */
export function showExtended(report: ExtendedReport): string {
  const { statusNote = '', updatedAt, expiresAt, sightings, corroboration, recurrence } = report;
  const note = statusNote.split(/[\r\n]+/).filter((line) => line !== '');
  return [
    showReport(report),
    '',
    fields([
      ['service', report.service],
      ['status', statusOf(report)],
      ...(report.statusBy === undefined ? [] : [['set by', report.statusBy] as const]),
      ...note.map((line, place) => [place === 0 ? 'note' : '', line] as const),
      ['updated', `${updatedAt} as number ${report.sequence}`],
      ['expires', expiresAt],
      ['sightings', `${sightings}, corroborated by ${corroboration} others`],
      ['came back', recurrence ? 'after it was acted on' : 'no'],
    ]),
  ].join('\n');
}
