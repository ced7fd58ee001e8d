import { shownText } from '../../printable-text.ts';
import type { Endpoint } from '../extractor.ts';

/** How many addresses of one sample are kept. */
export const MOST_ENDPOINTS = 1_000;
const LONGEST_HOST = 512;
const LONGEST_VALUE = 512;

/** The parts between separators, without blanks around them and without empty ones. */
export function splitList(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator, MOST_ENDPOINTS)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** Every port of a list, or nothing if one part of it is no port. */
export function parsePorts(text: string): number[] | undefined {
  const ports = splitList(text, ',').map(parsePort);
  return ports.length > 0 && ports.every((port) => port !== undefined) ? ports : undefined;
}

/** Those of a list that are ports: one that is none does not keep a client from the others. */
export function portsAmong(text: string): number[] {
  return splitList(text, ',').flatMap((part) => parsePort(part) ?? []);
}

/** `host:port`, an IPv6 address with or without its brackets. */
export function parseHostPort(text: string): { host: string; port: number } | undefined {
  const at = text.lastIndexOf(':');
  const port = parsePort(text.slice(at + 1));
  const host = text
    .slice(0, Math.max(at, 0))
    .replace(/^\[([^\]]*)\]$/, '$1')
    .trim();
  return port === undefined || host === ''
    ? undefined
    : { host: shownText(host, LONGEST_HOST), port };
}

/** A client that has both in lists tries each host on each port. Hosts without any port are told, but are no address. */
export function eachHostAndPort(
  hosts: readonly string[],
  ports: readonly number[],
): readonly Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const host of hosts) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      if (endpoints.length === MOST_ENDPOINTS) return endpoints;
      endpoints.push({ protocol: 'tcp', usage: 'c2', host: shownText(host, LONGEST_HOST), port });
    }
  }
  return endpoints;
}

/** An address of a page on which the real address stands. */
export function deadDrop(url: string): Endpoint {
  const protocol = /^https:/i.test(url) ? 'https' : 'http';
  return { protocol, usage: 'dead-drop', url: shownText(url, LONGEST_VALUE) };
}

export function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text);
}

/** What is there of these, each fit to be shown; nothing if none is. */
export function otherSettings(
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, shownText(value, LONGEST_VALUE)]],
    ),
  );
}

/** One text as a list of its own, fit to be shown; nothing for none. */
export function listOf(text: string | undefined): readonly string[] | undefined {
  return text === undefined || text === '' ? undefined : [shownText(text, LONGEST_VALUE)];
}
