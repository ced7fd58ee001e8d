import {
  c2AddressOf,
  formatC2Address,
  parseC2Address,
} from '../../src/domain/reports/c2-address.ts';
import type { Analysis } from '../../src/domain/samples/analysis.ts';

/**
 * Settings of one file by the names that the engine uses, in a form that can be compared. A name
 * without values is a setting that the parser knows and did not find.
 */
export type Settings = Readonly<Record<string, readonly string[]>>;

/** What a parser answers: JSON of any form. */
export type Answer = Readonly<Record<string, unknown>>;

export function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text, a number or a list of them; anything else is nothing. */
export function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [];
}

/** Whether any setting has a value. */
export function hasValues(settings: Settings): boolean {
  return Object.values(settings).some((values) => values.length > 0);
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ftp:': 21 };

/** `host:port` of a URL, or of an address as it is; text that is neither stays. */
export function addressOf(text: string): string {
  if (!text.includes('://')) return canonical(parseC2Address(text), text);
  const url = URL.parse(text);
  if (url === null) return text;
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  return canonical(c2AddressOf(url.hostname, port ?? 0), text);
}

/** Every host with every port. */
export function addressesOf(hosts: readonly string[], ports: readonly string[]): readonly string[] {
  // The engine removes the dot at the end of an absolute name.
  const relative = hosts.map((host) => host.replace(/\.$/, ''));
  return relative.flatMap((host) =>
    ports.map((port) => canonical(c2AddressOf(host, Number(port)), `${host}:${port}`)),
  );
}

function canonical(address: ReturnType<typeof parseC2Address>, text: string): string {
  return address === undefined ? text : formatC2Address(address);
}

/** URLs of pages: their path is not in a C2 address. */
export function urlsOf(texts: readonly string[]): readonly string[] {
  return texts.filter(
    (text) => text.startsWith('http') && (URL.parse(text)?.pathname ?? '/') !== '/',
  );
}

/** Lists in the flat settings of an analysis. Other texts may contain a comma. */
const LISTS: ReadonlySet<string> = new Set([
  'C2s',
  'C2 URIs',
  'Campaign',
  'Dead Drops',
  'Mutex',
  'Ports',
  'Uploads',
]);

/** The settings that the engine reports for the family. */
export function ownSettings({ report, details }: Analysis, tag: string): Settings {
  const entries = Object.entries(report.configs[tag] ?? {}).map(
    ([name, value]): [string, readonly string[]] => [
      name,
      textsOf(value).flatMap((text) => (LISTS.has(name) ? text.split(', ') : [text])),
    ],
  );
  const settings = Object.fromEntries(entries);
  const addresses = details.c2s.filter(({ family }) => family === tag).map(formatC2Address);
  return { ...settings, C2s: addresses, URLs: urlsOf(settings['C2s'] ?? []) };
}
