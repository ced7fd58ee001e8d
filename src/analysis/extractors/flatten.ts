import { trimEndOf, trimStartOf } from '../../domain/trim.ts';
import { LIMITS } from '../limits.ts';
import { printableText } from '../printable-text.ts';
import type { Endpoint, Extraction } from './extractor.ts';

/**
 * The settings as an analysis presents them: a flat object of names and texts (`C2s`, `Ports`,
 * `Mutex`, `Version`), as existing clients expect it. The sample controls the texts and their
 * number, so invisible characters are escaped and everything is limited.
 */
export function flatten(extraction: Extraction): Readonly<Record<string, string>> {
  const endpoints = extraction.endpoints.slice(0, LIMITS.c2s);
  const c2s = endpoints.filter(({ usage }) => usage === 'c2');
  const others = endpoints.filter(({ usage }) => usage !== 'c2');
  const flat: readonly (readonly [name: string, text: string | undefined])[] = [
    ['C2s', joined(c2s.map(urlOrHost))],
    ['Ports', joined(c2s.map(({ port }) => port?.toString()))],
    ['Version', extraction.version],
    ['Campaign', joined(extraction.campaign ?? [])],
    ['Mutex', joined(extraction.mutex ?? [])],
    ...endpointsByUsage(others),
    ...firstEntries(extraction.other ?? {}),
    ['Certainty', extraction.heuristic === true ? 'heuristic' : undefined],
  ];
  const present = flat.filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(
    present.slice(0, LIMITS.settings).map(([name, text]) => [nameOf(name), textOf(text)]),
  );
}

/** Whether a limit cut the settings. */
export function isCut({ endpoints, other = {} }: Extraction): boolean {
  return endpoints.length > LIMITS.c2s || firstEntries(other).length > LIMITS.settings;
}

/** One entry more than the limit. Listing a million entries would take seconds. */
function firstEntries(settings: Readonly<Record<string, string>>): [string, string][] {
  const entries: [string, string][] = [];
  for (const name in settings) {
    if (Object.hasOwn(settings, name)) entries.push([name, settings[name] ?? '']);
    if (entries.length > LIMITS.settings) break;
  }
  return entries;
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

function urlOrHost({ url, host }: Endpoint): string | undefined {
  return url ?? (host && withoutBrackets(host));
}

function withPort({ url, host, port }: Endpoint): string | undefined {
  if (url !== undefined || host === undefined) return url;
  if (port === undefined) return withoutBrackets(host);
  return withoutBrackets(host).includes(':')
    ? `[${withoutBrackets(host)}]:${port}`
    : `${host}:${port}`;
}

/** Removes the brackets of an IPv6 address, which some settings have. */
function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** Joins distinct texts up to the limits. The full list could exceed the maximum string length. */
function joined(texts: readonly (string | undefined)[]): string {
  const distinct = new Set<string>();
  let length = 0;
  for (const text of texts) {
    if (length > LIMITS.settingLength || distinct.size > LIMITS.c2s) break;
    if (text === undefined || text === '' || distinct.has(text)) continue;
    distinct.add(text.slice(0, LIMITS.settingLength + 1));
    length += text.length + 2;
  }
  return [...distinct].join(', ');
}

/** Removes the underscores of names such as `__proto__`, which some JSON readers drop. */
function nameOf(name: string): string {
  const start = name.startsWith('__') ? trimStartOf(name, '_') : name;
  const plain = start.endsWith('__') ? trimEndOf(start, '_') : start;
  return limited(plain, LIMITS.settingNameLength) || '?';
}

function textOf(text: string): string {
  return limited(text, LIMITS.settingLength);
}

/** Escapes lengthen the text, so the limit is applied again after them. */
function limited(text: string, maxLength: number): string {
  const shown = printableText(text, maxLength);
  return shown.length > maxLength ? `${shown.slice(0, maxLength - 1).toWellFormed()}…` : shown;
}
