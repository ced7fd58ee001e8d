import { trimEndOf, trimStartOf } from '../../domain/trim.ts';
import { LIMITS } from '../limits.ts';
import { shownText } from '../printable-text.ts';
import type { Endpoint, Extraction } from './extractor.ts';

/**
 * The settings as a report shows them: a flat object with names and texts that people read, as clients of such
 * reports know it (`C2s`, `Ports`, `Mutex`, `Version`). Whoever built the sample chose the texts, and how many there
 * are: nothing unseen is left in them, and all of it has an end.
 */
export function flatten(extraction: Extraction): Readonly<Record<string, string>> {
  const endpoints = extraction.endpoints.slice(0, LIMITS.c2s);
  const c2s = endpoints.filter(({ usage }) => usage === 'c2');
  const others = endpoints.filter(({ usage }) => usage !== 'c2');
  const flat: readonly (readonly [name: string, text: string | undefined])[] = [
    ['C2s', joined(c2s.map(placeOf))],
    ['Ports', joined(c2s.map(({ port }) => port?.toString()))],
    ['Version', extraction.version],
    ['Campaign', joined(extraction.campaign ?? [])],
    ['Mutex', joined(extraction.mutex ?? [])],
    ...endpointsByUsage(others),
    ...someOf(extraction.other ?? {}),
    ['Certainty', extraction.heuristic === true ? 'heuristic' : undefined],
  ];
  const kept = flat.filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(
    kept.slice(0, LIMITS.settings).map(([name, text]) => [nameOf(name), textOf(text)]),
  );
}

/** Whether there is more than is kept of it. */
export function isCut({ endpoints, other = {} }: Extraction): boolean {
  return endpoints.length > LIMITS.c2s || someOf(other).length > LIMITS.settings;
}

/** As many as may be kept and one more: a million of them would take seconds. */
function someOf(settings: Readonly<Record<string, string>>): [string, string][] {
  const some: [string, string][] = [];
  for (const name in settings) {
    if (Object.hasOwn(settings, name)) some.push([name, settings[name] ?? '']);
    if (some.length > LIMITS.settings) break;
  }
  return some;
}

const USAGES: Readonly<Record<Exclude<Endpoint['usage'], 'c2'>, string>> = {
  download: 'Downloads',
  upload: 'Uploads',
  'dead-drop': 'Dead Drops',
  other: 'Other Addresses',
};

function endpointsByUsage(endpoints: readonly Endpoint[]): [string, string][] {
  return Object.entries(USAGES).map(([usage, name]) => [
    name,
    joined(endpoints.filter((one) => one.usage === usage).map(withPort)),
  ]);
}

function placeOf({ url, host }: Endpoint): string | undefined {
  return url ?? (host && bare(host));
}

function withPort({ url, host, port }: Endpoint): string | undefined {
  if (url !== undefined || host === undefined) return url;
  if (port === undefined) return bare(host);
  return bare(host).includes(':') ? `[${bare(host)}]:${port}` : `${host}:${port}`;
}

/** Some settings have an address of IPv6 in brackets, others without. */
function bare(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** Each once, as far as they are told: put together, a thousand long ones would be more than a text can hold. */
function joined(texts: readonly (string | undefined)[]): string {
  const some = new Set<string>();
  let length = 0;
  for (const text of texts) {
    if (length > LIMITS.settingLength || some.size > LIMITS.c2s) break;
    if (text === undefined || text === '' || some.has(text)) continue;
    some.add(text.slice(0, LIMITS.settingLength + 1));
    length += text.length + 2;
  }
  return [...some].join(', ');
}

/** A name that objects have by themselves (`__proto__`) is lost on the way of a report, in some reader or other. */
function nameOf(name: string): string {
  const start = name.startsWith('__') ? trimStartOf(name, '_') : name;
  const plain = start.endsWith('__') ? trimEndOf(start, '_') : start;
  return fitting(plain, LIMITS.settingNameLength) || '?';
}

function textOf(text: string): string {
  return fitting(text, LIMITS.settingLength);
}

/** Escapes make a text longer, so it is measured again behind them. */
function fitting(text: string, most: number): string {
  const shown = shownText(text, most);
  return shown.length > most ? `${shown.slice(0, most - 1).toWellFormed()}…` : shown;
}
