import type { KnownAs } from '../lists/list-kind.ts';
import type { ExportedReport } from './exported-report.ts';
import { isMisrouted } from './report.ts';

/**
 * The text of a report in lists, changes, webhooks and exports: its stored text without the last
 * brace, and the report's status since as the next members of the same object. Slugs, statuses and
 * numbers need no escapes. The database fills it in for the reports of a page, `serializeExtended`
 * for others.
 */
export const EXTENDED_TEXT = template`${'body'},"service":"${'service'}","sequence":${'sequence'},"status":"${'status'}","statusReason":${'answer'},"updatedAt":"${'updatedAt'}Z","expiresAt":"${'expiresAt'}Z","corroboration":${'corroboration'},"sightings":${'sightings'},"recurrence":${'recurrence'},"confirmation":"${'confirmation'}","misrouted":${'misrouted'},"routedTo":${'routedTo'}}`;

export type ExtendedValue = (typeof EXTENDED_TEXT.names)[number];

/** `names[index]` stands between `texts[index]` and the next text. */
function template<Name extends string>(texts: readonly string[], ...names: readonly Name[]) {
  return { texts, names };
}

/** The length of a stored time up to its seconds, as `formatUtc` shows it. */
export const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/** The members that `serializeExtended` reads. */
const EXTENDED_FIELDS = [
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
  'body',
] as const satisfies readonly (keyof ExportedReport)[];

/** The members that an export of extended reports reads: also those by which lists know them. */
export const EXPORTED_FIELDS = [...EXTENDED_FIELDS, 'c2', 'sha256'] as const;

type ExtendedReport = Pick<ExportedReport, (typeof EXTENDED_FIELDS)[number]>;

/**
 * Building an object from all columns and serializing it takes several times as long. `answer` are
 * the members of those who may see more about the status.
 */
export function serializeExtended(report: ExtendedReport, answer = ''): string {
  const { statusReason, routedTo } = report;
  const reason = statusReason === undefined ? 'null' : JSON.stringify(statusReason);
  const values: Readonly<Record<ExtendedValue, unknown>> = {
    body: report.body.slice(0, -1),
    service: report.service,
    sequence: report.sequence,
    status: report.status,
    answer: `${reason}${answer}`,
    updatedAt: report.updatedAt.slice(0, SECONDS),
    expiresAt: report.expiresAt.slice(0, SECONDS),
    corroboration: report.corroboration,
    sightings: report.sightings,
    recurrence: report.recurrence,
    confirmation: report.confirmation,
    misrouted: isMisrouted(report),
    routedTo: routedTo === undefined ? 'null' : `"${routedTo}"`,
  };
  const { texts, names } = EXTENDED_TEXT;
  return names.reduce((text, name, index) => `${text}${values[name]}${texts[index + 1]}`, '');
}

/**
 * Adds the lists that have the host or the file, as the last member. Lists change while reports do
 * not, so it is no part of the text that the database composes.
 */
export function withKnownAs(text: string, known: readonly KnownAs[]): string {
  const labels = known.length === 0 ? '[]' : JSON.stringify(known);
  return `${text.slice(0, -1)},"knownAs":${labels}}`;
}
