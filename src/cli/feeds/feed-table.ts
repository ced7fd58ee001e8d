import type { Change, ExaminedReport, ExtendedReport } from '../../client/wire.ts';
import { knownText } from '../output/known-text.ts';
import type { Columns } from '../output/list.ts';
import { fields, showReport, visible } from '../output/show.ts';

/** `service` is set in the changes of all feeds. */
export interface FeedChange extends Change {
  readonly service?: string | undefined;
}

export const ALL_FEEDS = 'all';

/** In the table, columns of constant width come first, so that they line up across pages. */
export function reportColumns(isAllFeeds: boolean): Columns<ExtendedReport> {
  return [
    { name: 'id', title: 'ID', value: ({ id }) => id },
    { name: 'reported_at', title: 'REPORTED', value: ({ reportedAt }) => reportedAt },
    { name: 'service', title: isAllFeeds ? 'SERVICE' : undefined, value: ({ service }) => service },
    { name: 'status', title: 'STATUS', value: ({ status }) => status, text: statusOf },
    { name: 'status_reason', value: ({ statusReason }) => statusReason },
    { name: 'confirmation', title: 'CONFIRMATION', value: ({ confirmation }) => confirmation },
    { name: 'confidence', title: 'CONFIDENCE', value: ({ confidenceScore }) => confidenceScore },
    {
      name: 'sightings',
      title: 'SIGHTINGS',
      value: ({ sightings }) => sightings,
      text: sightingsOf,
    },
    { name: 'recurrence', value: ({ recurrence }) => recurrence },
    { name: 'c2', title: 'C2', value: ({ c2Address }) => c2Address, text: addressOf },
    { name: 'routed_to', value: ({ routedTo }) => routedTo },
    { name: 'name', title: 'NAME', flexible: true, value: ({ name }) => name },
    { name: 'tags', title: 'TAGS', flexible: true, value: ({ tags }) => tags },
    { name: 'reported_by', title: 'BY', flexible: true, value: ({ reportedBy }) => reportedBy },
    { name: 'sha256', value: ({ file256Hash }) => file256Hash },
    { name: 'link', value: ({ referenceLink }) => referenceLink },
    { name: 'expires_at', value: ({ expiresAt }) => expiresAt },
    { name: 'sequence', value: ({ sequence }) => sequence },
    { name: 'known_as', value: ({ knownAs }) => knownText(knownAs ?? []) },
  ];
}

export function changeColumns(isAllFeeds: boolean): Columns<FeedChange> {
  return [
    {
      name: 'service',
      title: isAllFeeds ? 'SERVICE' : undefined,
      value: ({ service, report }) => service ?? report?.service,
    },
    { name: 'sequence', title: 'NUMBER', value: ({ sequence }) => sequence },
    { name: 'change', title: 'CHANGE', value: ({ type }) => type },
    { name: 'id', title: 'ID', value: ({ id }) => id },
    {
      name: 'status',
      title: 'STATUS',
      value: ({ report }) => report?.status,
      text: ({ report }) => (report === undefined ? '' : statusOf(report)),
    },
    { name: 'status_reason', value: ({ report }) => report?.statusReason },
    { name: 'c2', title: 'C2', value: ({ report }) => report?.c2Address },
    { name: 'name', title: 'NAME', flexible: true, value: ({ report }) => report?.name },
    { name: 'sha256', value: ({ report }) => report?.file256Hash },
  ];
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
      ...('c2Rejected' in report && report.c2Rejected
        ? [['C2', 'rejected by the desk as a false positive'] as const]
        : []),
      ...(report.knownAs?.length > 0 ? [['known as', knownText(report.knownAs)] as const] : []),
      ...(report.misrouted ? [['belongs to', report.routedTo ?? ''] as const] : []),
    ]),
  ].join('\n');
}
