import { printableText } from '../../printable-text.ts';
import type { Endpoint } from '../extractor.ts';

/** Limit on the endpoints of one sample. */
export const MAX_ENDPOINTS = 1_000;
const MAX_HOST_LENGTH = 512;
const MAX_URL_LENGTH = 512;

/** Splits a list, trims its items and drops empty ones. */
export function splitList(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator, MAX_ENDPOINTS)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** The ports of a comma-separated list; `undefined` if one item is not a port. */
export function parsePorts(text: string): number[] | undefined {
  const ports = splitList(text, ',').map(parsePort);
  return ports.length > 0 && ports.every((port) => port !== undefined) ? ports : undefined;
}

/**
 * The valid ports of a comma-separated list. Clients skip invalid items, so they are dropped here.
 */
export function validPorts(text: string): number[] {
  return splitList(text, ',').flatMap((part) => parsePort(part) ?? []);
}

/** Parses `host:port`, with an IPv6 address in brackets or bare. Does not check the host. */
export function parseHostPort(text: string): { host: string; port: number } | undefined {
  const at = text.lastIndexOf(':');
  const port = parsePort(text.slice(at + 1));
  const host = text
    .slice(0, Math.max(at, 0))
    .replace(/^\[([^\]]*)\]$/, '$1')
    .trim();
  return port === undefined || host === ''
    ? undefined
    : { host: printableText(host, MAX_HOST_LENGTH), port };
}

/**
 * Every host with every port, as clients try them. Without ports the endpoint has a host only and
 * yields no C2 address.
 */
export function eachHostAndPort(
  hosts: readonly string[],
  ports: readonly number[],
): readonly Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const host of hosts) {
    for (const port of ports.length === 0 ? [undefined] : ports) {
      if (endpoints.length === MAX_ENDPOINTS) return endpoints;
      const shownHost = printableText(host, MAX_HOST_LENGTH);
      endpoints.push({ protocol: 'tcp', usage: 'c2', host: shownHost, port });
    }
  }
  return endpoints;
}

/** The endpoint of a public page that holds the real address. */
export function deadDrop(url: string): Endpoint {
  const protocol = /^https:/i.test(url) ? 'https' : 'http';
  return { protocol, usage: 'dead-drop', url: printableText(url, MAX_URL_LENGTH) };
}

export function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text);
}
