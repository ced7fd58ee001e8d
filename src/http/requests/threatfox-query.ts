import { c2AddressOf, parseC2Address } from '../../domain/reports/c2-address.ts';
import { isTag } from '../../domain/reports/report.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';
import { isAddress, parseSearchInput } from '../../domain/search-query.ts';
import { parseIocId } from '../../exports/threatfox/iocs.ts';
import type { SearchTerm } from '../../operations/reports/find-iocs.ts';
import type { HostOrC2 } from '../../ports/search-store.ts';
import type { LabelQuery } from '../responses/consumers/threatfox-labels.ts';
import { parseHost } from './feed-query.ts';
import { type Members, type QueryRefusal, refusal } from './threatfox-refusal.ts';
import { parseSubmission, type Submission } from './threatfox-submission.ts';

/** A question in the form of ThreatFox, which are all sent to one path. */
export type ThreatfoxQuery =
  | { readonly kind: 'recent'; readonly days: number }
  | { readonly kind: 'search'; readonly term: SearchTerm }
  | { readonly kind: 'hash'; readonly sha256: string }
  | { readonly kind: 'tag'; readonly tag: string; readonly limit: number }
  | { readonly kind: 'malware'; readonly malware: string; readonly limit: number }
  | LabelQuery
  | Submission
  | { readonly kind: 'ioc'; readonly id: NonNullable<ReturnType<typeof parseIocId>> };

const DEFAULT_DAYS = 3;
const MAX_DAYS = 7;

/** A map: an object would also find `toString` and `__proto__`. */
const PARSERS = new Map<unknown, (members: Members) => ThreatfoxQuery | QueryRefusal>([
  ['get_iocs', parseRecent],
  ['search_ioc', parseSearch],
  ['search_hash', parseHash],
  ['ioc', parseIoc],
  ['taginfo', parseTag],
  ['malwareinfo', parseMalware],
  ['malware_list', () => ({ kind: 'malware-list' })],
  ['tag_list', () => ({ kind: 'tag-list' })],
  ['types', () => ({ kind: 'types' })],
  ['get_label', parseLabel],
  ['submit_ioc', parseSubmission],
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

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** How many indicators are returned; more than the most is as many as the most. */
function limitOf({ limit = DEFAULT_LIMIT }: Members): number | undefined {
  const number = typeof limit === 'string' && /^[0-9]{1,9}$/.test(limit) ? Number(limit) : limit;
  const isLimit = typeof number === 'number' && Number.isInteger(number) && number >= 1;
  return isLimit ? Math.min(number, MAX_LIMIT) : undefined;
}

const ILLEGAL_LIMIT = refusal('illegal_limit', '"limit" must be a whole number from 1.');

function parseTag(members: Members): ThreatfoxQuery | QueryRefusal {
  const { tag } = members;
  if (typeof tag !== 'string' || !isTag(tag))
    return refusal('illegal_tag', '"tag" must be a tag of reports.');
  const limit = limitOf(members);
  return limit === undefined ? ILLEGAL_LIMIT : { kind: 'tag', tag, limit };
}

function parseMalware(members: Members): ThreatfoxQuery | QueryRefusal {
  const malware = malwareText(members);
  if (malware === undefined) return ILLEGAL_MALWARE;
  const limit = limitOf(members);
  return limit === undefined ? ILLEGAL_LIMIT : { kind: 'malware', malware, limit };
}

function parseLabel(members: Members): ThreatfoxQuery | QueryRefusal {
  const malware = malwareText(members);
  return malware === undefined ? ILLEGAL_MALWARE : { kind: 'label', malware };
}

const ILLEGAL_MALWARE = refusal('illegal_malware', '"malware" must be the name of malware.');

function malwareText({ malware }: Members): string | undefined {
  return typeof malware === 'string' && isTag(malware) ? malware : undefined;
}
