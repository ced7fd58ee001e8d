import { isIP } from 'node:net';
import { z } from 'zod';
import { parseNetwork } from '../domain/services/service.ts';
import { trimEndOf } from '../domain/trim.ts';

/** The kinds of settings: how their text is parsed, and the message if it is not valid. */

export function port(fallback: number, purpose: string) {
  const message = 'must be a port from 0 to 65535';
  return z
    .string()
    .regex(/^[0-9]{1,5}$/, message)
    .transform(Number)
    .pipe(z.int().max(65_535, message))
    .default(fallback)
    .describe(purpose);
}

export function wholeNumber(
  { from, to }: { readonly from: number; readonly to: number },
  purpose: string,
) {
  const message = `must be a whole number from ${from} to ${to}`;
  return z
    .string()
    .regex(/^[0-9]{1,12}$/, message)
    .transform(Number)
    .pipe(z.int().min(from, message).max(to, message))
    .optional()
    .describe(purpose);
}

export function networks(purpose: string) {
  return list()
    .refine(
      (all) => all.every((network) => parseNetwork(network) !== undefined),
      'must be networks, separated by commas',
    )
    .describe(purpose);
}

/** Texts separated by commas. */
export function list() {
  return z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    );
}

export function url(purpose: string) {
  return z
    .string()
    .refine(
      (text) => /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/.test(text) && URL.canParse(text),
      'must be an http or https URL',
    )
    .transform((text) => trimEndOf(text, '/'))
    .optional()
    .describe(purpose);
}

/** Whether fastify accepts it as `trustProxy`. With any other text it would not start. */
export function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text) || isIP(text) !== 0) return true;
  return parseNetwork(text) !== undefined && !text.endsWith('/0');
}

/** An address, or an address and a port, as `setServers` of the DNS module reads it. */
export function isNameServer(text: string): boolean {
  const [, ipv6, ipv4, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  if (isIP(text) !== 0) return true;
  const isPort = port === undefined || (Number(port) > 0 && Number(port) <= 65_535);
  return isPort && (isIP(ipv6 ?? '') === 6 || isIP(ipv4 ?? '') === 4);
}

/** Whether a browser would send exactly this text as `Origin`. There are no wildcards. */
export function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
