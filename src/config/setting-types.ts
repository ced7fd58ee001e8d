import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseNetwork } from '../domain/services/service.ts';
import { trimEndOf } from '../domain/trim.ts';

/** The types of settings: how their text is parsed, and the message if it is not valid. */

/** A value that `parse` reads from the text. */
export function parsed<T>(parse: (text: string) => T | undefined, message: string) {
  return z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** A text that is used as it is. */
export function text(isValid: (text: string) => boolean, message: string) {
  return z.string().refine(isValid, message);
}

export const anyText = z.string().min(1, 'must not be empty');
export const folder = anyText.transform((path) => resolve(path));
export const flag = z.enum(['0', '1'], 'must be 0 or 1').transform((digit) => digit === '1');
export const port = numeral(/^[0-9]{1,5}$/, [0, 65_535], 'must be a port from 0 to 65535');

export function wholeNumber(from: number, to: number) {
  return numeral(/^[0-9]{1,12}$/, [from, to], `must be a whole number from ${from} to ${to}`);
}

function numeral(digits: RegExp, [from, to]: readonly [number, number], message: string) {
  return parsed((given) => {
    const value = Number(given);
    return digits.test(given) && value >= from && value <= to ? value : undefined;
  }, message);
}

export const url = parsed(
  (given) =>
    /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/.test(given) && URL.canParse(given)
      ? trimEndOf(given, '/')
      : undefined,
  'must be an http or https URL',
);

/** Values separated by commas, each of which `parse` reads. */
export function list<T>(parse: (part: string) => T | undefined, message: string) {
  return parsed((given): readonly T[] | undefined => {
    const parts = given.split(',').map((part) => part.trim());
    const values = parts.filter(Boolean).map(parse);
    return values.every((value) => value !== undefined) ? values : undefined;
  }, message);
}

export const networks = list(
  (part) => (parseNetwork(part) === undefined ? undefined : part),
  'must be networks, separated by commas',
);

/** Only what fastify accepts as `trustProxy`: with any other text it would not start. */
export function parseProxy(part: string): string | undefined {
  const isName = ['loopback', 'linklocal', 'uniquelocal'].includes(part);
  const isNetwork = parseNetwork(part) !== undefined && !part.endsWith('/0');
  return isName || isNetwork || isIP(part) !== 0 ? part : undefined;
}

/** An address, or an address and a port, as `setServers` of the DNS module reads it. */
export function isNameServer(given: string): boolean {
  const [, ipv6, ipv4, number] = /^(?:\[([^\]]+)\]|([^:]+))(?::([0-9]{1,5}))?$/.exec(given) ?? [];
  if (isIP(given) !== 0) return true;
  const isPort = number === undefined || (Number(number) > 0 && Number(number) <= 65_535);
  return isPort && (isIP(ipv6 ?? '') === 6 || isIP(ipv4 ?? '') === 4);
}

/** Exactly the text that a browser sends as `Origin`. There are no wildcards. */
export function parseOrigin(part: string): string | undefined {
  const isOrigin = /^https?:[^*]+$/.test(part) && URL.canParse(part);
  return isOrigin && new URL(part).origin === part ? part : undefined;
}
