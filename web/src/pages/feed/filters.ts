import type { ListOptions } from '../../../../src/client/feeds.ts';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { defang } from '../../text/defang.ts';
import { parseTime } from '../../text/format.ts';
import { text, texts } from '../../text/search-values.ts';
import { visible } from '../../text/visible.ts';

/** The filters of a feed, by the names of the API. They live in the URL. */
export interface FeedFilter {
  readonly status?: string | undefined;
  readonly name?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly host?: string | undefined;
  readonly domain?: string | undefined;
  readonly port?: string | undefined;
  readonly c2?: string | undefined;
  readonly hash?: string | undefined;
  readonly reporter?: string | undefined;
  readonly min_confidence?: string | undefined;
  readonly confirmation?: string | undefined;
  readonly misrouted?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

export type FilterName = keyof FeedFilter;

interface FilterKind {
  readonly label: string;
  readonly hint: string;
  /** How a value is entered; by default as text. */
  readonly input?: 'number' | 'date';
  readonly choices?: readonly string[];
}

export const FILTERS: Readonly<Record<FilterName, FilterKind>> = {
  status: {
    label: 'Status',
    hint: '',
    choices: ['open', 'acknowledged', 'actioned', 'rejected', 'expired'],
  },
  name: { label: 'Name', hint: 'family or first tag' },
  tag: { label: 'Tag', hint: 'asyncrat' },
  host: { label: 'Host', hint: 'evil.example' },
  domain: { label: 'Domain', hint: 'example, with all names below' },
  port: { label: 'Port', hint: '4444', input: 'number' },
  c2: { label: 'C2', hint: 'evil.example:4444' },
  hash: { label: 'SHA-256', hint: '64 hexadecimal digits' },
  reporter: { label: 'Reporter', hint: 'name of an account' },
  min_confidence: { label: 'Confidence from', hint: '80', input: 'number' },
  confirmation: {
    label: 'Confirmation',
    hint: '',
    choices: ['confirmed', 'contradicted', 'unknown'],
  },
  misrouted: { label: 'Misrouted', hint: '', choices: ['true', 'false'] },
  created_after: { label: 'From', hint: '', input: 'date' },
  created_before: { label: 'Before', hint: '', input: 'date' },
};

export const FILTER_NAMES = Object.keys(FILTERS) as [FilterName, ...FilterName[]];

export function filterFromSearch(search: Readonly<Record<string, unknown>>): FeedFilter {
  const filter: Record<string, string | readonly string[] | undefined> = {};
  for (const name of FILTER_NAMES) {
    if (name !== 'tag') filter[name] = text(search[name]);
    else if (texts(search[name]).length > 0) filter[name] = texts(search[name]);
  }
  return filter;
}

/** Each filter in force as a name and a value; a repeated one several times. */
export function entriesOf(filter: FeedFilter): readonly (readonly [FilterName, string])[] {
  return FILTER_NAMES.flatMap((name) =>
    [filter[name] ?? []].flat().map((value) => [name, value] as const),
  );
}

export function withFilter(filter: FeedFilter, name: FilterName, value: string): FeedFilter {
  if (name !== 'tag') return { ...filter, [name]: value };
  return { ...filter, tag: [...new Set([...(filter.tag ?? []), value])] };
}

export function withoutFilter(filter: FeedFilter, name: FilterName, value: string): FeedFilter {
  const rest = name === 'tag' ? (filter.tag ?? []).filter((one) => one !== value) : [];
  return { ...filter, [name]: rest.length === 0 ? undefined : rest };
}

/** Sets the filter, or removes it if it has this value already. */
export function toggledFilter(
  filter: FeedFilter,
  name: Exclude<FilterName, 'tag'>,
  value: string,
): FeedFilter {
  return { ...filter, [name]: filter[name] === value ? undefined : value };
}

/** A value as it was entered, as the API takes it. Dates are days in UTC. */
export function toValue(name: FilterName, entered: string): string {
  const text = entered.trim();
  if (FILTERS[name].input === 'date' && /^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  return text;
}

/** A value as a chip shows it. */
export function showValue(name: FilterName, value: string): string {
  if (name === 'host' || name === 'domain' || name === 'c2') return defang(visible(value));
  return visible(value)
    .replace(/T00:00:00Z$/, '')
    .replace(/T(\d\d:\d\d):\d\dZ$/, ' $1 UTC');
}

/** The options of the client. Text that is not a number is sent: the server explains it. */
export function toListOptions(filter: FeedFilter): ListOptions {
  const { port, min_confidence, misrouted, ...others } = filter;
  return {
    ...others,
    ...(port !== undefined && { port: port as unknown as number }),
    ...(min_confidence !== undefined && { min_confidence: min_confidence as unknown as number }),
    ...(misrouted !== undefined && { misrouted: misrouted as unknown as boolean }),
  };
}

/** Whether a report that has just arrived belongs to the list. */
export function matches(report: ExtendedReport, filter: FeedFilter): boolean {
  const { host, port } = splitAddress(report.c2Address);
  const isStatus =
    filter.status === undefined ? report.status !== 'expired' : report.status === filter.status;
  const at = parseTime(report.reportedAt).getTime();
  return (
    isStatus &&
    (filter.name ?? report.name) === report.name &&
    (filter.tag ?? []).every((tag) => report.tags.includes(tag)) &&
    isSame(filter.host, host) &&
    isBelow(filter.domain, host) &&
    isSame(filter.port, port) &&
    isSame(filter.c2, report.c2Address) &&
    isSame(filter.hash, report.file256Hash) &&
    (filter.reporter ?? report.reportedBy) === report.reportedBy &&
    report.confidenceScore >= Number(filter.min_confidence ?? 0) &&
    (filter.confirmation ?? report.confirmation) === report.confirmation &&
    (filter.misrouted ?? String(report.misrouted)) === String(report.misrouted) &&
    at >= timeOf(filter.created_after, 0) &&
    at < timeOf(filter.created_before, Number.POSITIVE_INFINITY)
  );
}

function isSame(wanted: string | undefined, actual: string): boolean {
  return wanted === undefined || wanted.replaceAll('[.]', '.').toLowerCase() === actual;
}

function isBelow(domain: string | undefined, host: string): boolean {
  const name = domain?.replaceAll('[.]', '.').toLowerCase();
  return name === undefined || host === name || host.endsWith(`.${name}`);
}

function timeOf(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Date.parse(text);
}

function splitAddress(address: string): { host: string; port: string } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: address.slice(at + 1) };
}
