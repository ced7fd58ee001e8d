import { c2AddressOf, parseC2Address } from '../../domain/reports/c2-address.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';
import { isAddress, parseSearchInput } from '../../domain/search-query.ts';
import { parseIocId } from '../../exports/threatfox/iocs.ts';
import type { SearchTerm } from '../../operations/reports/find-iocs.ts';
import type { HostOrC2 } from '../../ports/search-store.ts';
import { parseHost } from './feed-query.ts';

/** A question in the form of ThreatFox, which are all sent to one path. */
export type ThreatfoxQuery =
  | { readonly kind: 'recent'; readonly days: number }
  | { readonly kind: 'search'; readonly term: SearchTerm }
  | { readonly kind: 'hash'; readonly sha256: string }
  | { readonly kind: 'ioc'; readonly id: NonNullable<ReturnType<typeof parseIocId>> };

/** Sent with status 200, because readers of ThreatFox expect it. */
export interface QueryRefusal {
  readonly query_status: string;
  readonly message: string;
}

const DEFAULT_DAYS = 3;
const MAX_DAYS = 7;

type Members = Readonly<Record<string, unknown>>;

/** A map: an object would also find `toString` and `__proto__`. */
const PARSERS = new Map<unknown, (members: Members) => ThreatfoxQuery | QueryRefusal>([
  ['get_iocs', parseRecent],
  ['search_ioc', parseSearch],
  ['search_hash', parseHash],
  ['ioc', parseIoc],
]);

/** Parses a body of any content type: clients send JSON as a form, or without a type. */
export function parseThreatfoxQuery(body: string): ThreatfoxQuery | QueryRefusal {
  const members = parseObject(body);
  if (members === undefined)
    return refusal(
      'illegal_json',
      'The body must be a JSON object: {"query": "get_iocs", "days": 1}.',
    );
  const parse = PARSERS.get(members['query']);
  return (
    parse?.(members) ??
    refusal('unknown_query', `The member "query" must be one of ${[...PARSERS.keys()].join(', ')}.`)
  );
}

export function isRefusal(query: ThreatfoxQuery | QueryRefusal): query is QueryRefusal {
  return 'query_status' in query;
}

function refusal(query_status: string, message: string): QueryRefusal {
  return { query_status, message };
}

function parseObject(body: string): Members | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? (parsed as Members) : undefined;
  } catch {
    return undefined;
  }
}

function parseRecent({ days = DEFAULT_DAYS }: Members): ThreatfoxQuery | QueryRefusal {
  const number = typeof days === 'string' && /^[0-9]{1,3}$/.test(days) ? Number(days) : days;
  const isDays = typeof number === 'number' && Number.isInteger(number);
  return isDays && number >= 1 && number <= MAX_DAYS
    ? { kind: 'recent', days: number }
    : refusal('illegal_days', `"days" must be a whole number from 1 to ${MAX_DAYS}.`);
}

function parseSearch(members: Members): ThreatfoxQuery | QueryRefusal {
  const { search_term: text, exact_match: exact = false } = members;
  const isExact = exact === true || exact === 'true' || exact === 1;
  const term = typeof text === 'string' ? parseTerm(text.trim().toLowerCase(), isExact) : undefined;
  return term === undefined
    ? refusal(
        'illegal_search_term',
        '"search_term" must be "<address>:<port>", an address, a host name or a part of one, or a SHA-256.',
      )
    : { kind: 'search', term };
}

function parseTerm(text: string, isExact: boolean): SearchTerm | undefined {
  const sha256 = parseSha256(text);
  if (sha256 !== undefined) return { kind: 'file', sha256 };
  const input = parseSearchInput(text);
  if (input === undefined) return undefined;
  const addresses = parseAddresses(text);
  const isWhole = addresses.some(({ host, port }) => port !== undefined || isAddress(host));
  if (isExact || isWhole) return { kind: 'addresses', text, addresses, isExact };
  return { kind: 'part', text, input };
}

/** ThreatFox writes IPv6 without brackets, so the text may be an address or one with a port. */
function parseAddresses(text: string): readonly HostOrC2[] {
  const c2 = parseC2Address(text);
  if (c2 !== undefined) return [c2];
  const host = parseHost(text);
  const colon = text.lastIndexOf(':');
  const port = Number(text.slice(colon + 1));
  const split = colon < 1 ? undefined : c2AddressOf(text.slice(0, colon), port);
  return [...(host === undefined ? [] : [{ host }]), ...(split === undefined ? [] : [split])];
}

function parseHash({ hash }: Members): ThreatfoxQuery | QueryRefusal {
  const sha256 = typeof hash === 'string' ? parseSha256(hash.trim()) : undefined;
  return sha256 === undefined
    ? refusal('illegal_hash', '"hash" must be a SHA-256: reports name files by it alone.')
    : { kind: 'hash', sha256 };
}

function parseIoc({ id }: Members): ThreatfoxQuery | QueryRefusal {
  const parsed = parseIocId(typeof id === 'number' ? String(id) : typeof id === 'string' ? id : '');
  return parsed === undefined
    ? refusal('illegal_id', '"id" must be the id of an indicator, a positive whole number.')
    : { kind: 'ioc', id: parsed };
}
