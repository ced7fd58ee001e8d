import type { Contact, ShownC2, ShownHost } from '../../client/wire.ts';
import { contactRows } from './contacts.ts';
import { knownText } from './known-text.ts';
import { type Columns, tableOf } from './list.ts';
import { fields } from './show.ts';

/** A few lines about a C2 or a host, and the newest of its reports and samples. */
export function showKnown(known: ShownC2 | ShownHost, contacts: readonly Contact[] = []): string {
  const { host, service, pattern, knownAs, reports, samples, families } = known;
  const statuses = Object.entries(reports.statuses)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  const total = `${reports.totalIsLowerBound ? 'more than ' : ''}${reports.total}`;
  const summary = fields([
    ['address', 'c2' in known ? known.c2 : host],
    ['service', service === null ? 'none declares it' : `${service} (${pattern})`],
    ...contactRows(contacts),
    ...networkRow(known),
    ...(knownAs?.length > 0 ? [['known as', knownText(knownAs)] as const] : []),
    ['reports', [total, statuses.join(', ')].filter(Boolean).join(': ')],
    ['open in', openIn(reports)],
    ['reported', seen(reports)],
    ['reported by', reportersOf(reports)],
    ...rejectedRow(reports),
    ['families', families.map(({ name }) => name).join(', ') || 'none'],
    ['samples', `${samples.newest.length}${samples.hasMore ? ' and more' : ''}`],
  ]);
  return [summary, reportTable(known), sampleTable(known)].filter(Boolean).join('\n\n');
}

function networkRow(known: ShownC2 | ShownHost): readonly (readonly [string, string])[] {
  const network = showNetwork(known);
  return network === '' ? [] : [['network', network]];
}

/** The autonomous system and the country, as far as they are known. */
export function showNetwork({ asn, country }: Pick<ShownC2, 'asn' | 'country'>): string {
  const system = asn === undefined ? undefined : [`AS${asn.number}`, asn.name].filter(Boolean);
  return [system?.join(' '), country].filter(Boolean).join(', ');
}

function rejectedRow({ feeds }: ShownC2['reports']): readonly (readonly [string, string])[] {
  const slugs = feeds.filter(({ c2Rejected }) => c2Rejected).map(({ service }) => service);
  return slugs.length === 0 ? [] : [['false positive', `by the desk of ${slugs.join(', ')}`]];
}

/** The feeds with an open report. */
function openIn({ feeds, totalIsLowerBound }: ShownC2['reports']): string {
  const slugs = feeds.filter(({ statuses }) => statuses.open > 0).map(({ service }) => service);
  const none = totalIsLowerBound ? 'none of the counted' : 'no feed';
  return slugs.join(', ') || none;
}

function reportersOf({ reporters: { total, most } }: ShownC2['reports']): string {
  const more = total - most.length;
  const names = most.map(({ name, reports }) => `${name} (${reports})`).join(', ');
  return more > 0 ? `${names} and ${more} more` : names || 'nobody';
}

function seen({ firstReportedAt, lastReportedAt }: ShownC2['reports']): string {
  return firstReportedAt === null ? 'never' : `${firstReportedAt} to ${lastReportedAt}`;
}

export const knownReportColumns: Columns<ShownC2['reports']['newest'][number]> = [
  { name: 'id', title: 'REPORT', value: ({ id }) => id },
  { name: 'service', title: 'SERVICE', value: ({ service }) => service },
  { name: 'status', title: 'STATUS', value: ({ status }) => status },
  { name: 'c2', title: 'C2', value: ({ c2Address }) => c2Address },
  { name: 'name', title: 'NAME', flexible: true, value: ({ name }) => name },
  { name: 'reported_at', title: 'REPORTED', value: ({ reportedAt }) => reportedAt },
];

const sampleColumns: Columns<ShownC2['samples']['newest'][number]> = [
  { name: 'sha256', title: 'SHA-256', value: ({ sha256Hash }) => sha256Hash },
  { name: 'file_name', title: 'FILE', flexible: true, value: ({ fileName }) => fileName },
  {
    name: 'tags',
    title: 'TAGS',
    flexible: true,
    value: ({ tags }) => tags.map(({ name }) => name),
  },
];

function reportTable({ reports: { newest } }: ShownC2 | ShownHost): string {
  return newest.length === 0 ? '' : tableOf(knownReportColumns, newest);
}

function sampleTable({ samples: { newest } }: ShownC2 | ShownHost): string {
  return newest.length === 0 ? '' : tableOf(sampleColumns, newest);
}
