import { contains, formatAddress, type Network, parseAddress } from './ip-address.ts';
import { type C2Address, parseC2Address } from './reports/c2-address.ts';
import { isVisible } from './reports/report.ts';
import { parseHexDigest } from './samples/file-hash.ts';

/** The possible meanings of a search text. If there are several, all are searched. */
export interface SearchInput {
  /** The trimmed text. */
  readonly text: string;
  readonly hash: SearchedHash | undefined;
  /** The start of a hash, beside words. */
  readonly hashPart: HashPart | undefined;
  /** Searches the addresses in this network. */
  readonly network: Network | undefined;
  readonly c2: C2Address | undefined;
  readonly host: string | undefined;
  /** Searches the subdomains of this name. */
  readonly below: string | undefined;
  /** Folded words; none if the text can only be a hash or an address. */
  readonly words: readonly string[];
}

/** In the order in which they are tried. */
export type SearchedHashKind = 'sha256' | 'blake3' | 'sha512' | 'sha1' | 'md5';

export interface SearchedHash {
  /** Lower-case hexadecimal. */
  readonly hex: string;
  readonly kinds: readonly SearchedHashKind[];
}

/** A part of a hash of any kind, in lower-case hexadecimal. */
export interface HashPart {
  readonly start: string;
  /** Empty if only the start is known. */
  readonly end: string;
}

/** Why a hit matches, best match first. The last four are partial matches, the others exact. */
export const SEARCH_MATCHES = [
  'sha256',
  'blake3',
  'sha512',
  'sha1',
  'md5',
  'c2',
  'host',
  'name',
  'tag',
  'reporter',
  'prefix',
  'network',
  'suffix',
  'text',
] as const;

export type SearchMatch = (typeof SEARCH_MATCHES)[number];

export const MAX_SEARCH_LENGTH = 200;

/** `undefined` if the text is empty, too long, or has invisible characters. */
export function parseSearchInput(input: string): SearchInput | undefined {
  if (input.length > MAX_SEARCH_LENGTH * 2 || [...input].length > MAX_SEARCH_LENGTH)
    return undefined;
  if (!isVisible(input)) return undefined;
  const text = input.trim();
  const hash = parseHash(text);
  if (hash !== undefined) return { ...NOTHING, text, hash };
  const address = withoutUrl(text);
  const network = parseNetwork(address);
  if (network !== undefined) return { ...NOTHING, text, ...hostOrNetwork(network) };
  const c2 = parseC2Address(address);
  if (c2 !== undefined) return { ...NOTHING, text, c2, host: c2.host };
  const below = parseBelow(address);
  if (below !== undefined) return { ...NOTHING, text, below };
  const host = parseHost(address);
  if (host !== undefined && isAddress(host)) return { ...NOTHING, text, host };
  const hashPart = parseHashPart(text);
  if (hashPart !== undefined && hashPart.start.length < text.length)
    return { ...NOTHING, text, hashPart };
  return {
    ...NOTHING,
    text,
    hashPart,
    host,
    // A name of several labels also matches its subdomains, which rank after exact matches.
    below: host?.includes('.') ? host : undefined,
    words: wordsOf(text).slice(0, MAX_QUERY_WORDS),
  };
}

/**
 * The same input without what only a single search looks for: words, and subdomains that were not
 * asked for. `undefined` if nothing is left.
 */
export function onlyIdentifiers(input: SearchInput): SearchInput | undefined {
  const { hash, hashPart, network, c2, host, below } = input;
  const isBelow = host === undefined ? below : undefined;
  const values = [hash, hashPart, network, c2, host, isBelow];
  if (values.every((value) => value === undefined)) return undefined;
  return { ...input, below: isBelow, words: [] };
}

const NOTHING = {
  hash: undefined,
  hashPart: undefined,
  network: undefined,
  c2: undefined,
  host: undefined,
  below: undefined,
  words: [],
} as const;

const HASHES: Readonly<Record<number, readonly SearchedHashKind[]>> = {
  32: ['md5'],
  40: ['sha1'],
  64: ['sha256', 'blake3'],
  128: ['sha512'],
};

function parseHash(text: string): SearchedHash | undefined {
  const kinds = HASHES[text.length];
  const hex = kinds && parseHexDigest(text, text.length / 2);
  return hex === undefined || kinds === undefined ? undefined : { hex, kinds };
}

export const MIN_HASH_PREFIX = 8;

const HASH_PART = /^([0-9a-f]{8,127})(?:(?:…|\.\.\.)([0-9a-f]{0,64}))?$/i;

/** The first digits of a hash, or how pages show a whole one: `0123abcd…4567cdef`. */
function parseHashPart(text: string): HashPart | undefined {
  const [, start, end = ''] = HASH_PART.exec(text) ?? [];
  if (start === undefined) return undefined;
  return { start: start.toLowerCase(), end: end.toLowerCase() };
}

/** Whether a whole hash in lower-case hexadecimal has this start and end. */
export function hasPart(hex: string, { start, end }: HashPart): boolean {
  return hex.startsWith(start) && hex.endsWith(end);
}

const NETWORK = /^(.+)\/(0|[1-9]\d{0,2})$/;

/** `192.0.2.0/24` or `2001:db8::/32`. Bits after the prefix are ignored. */
function parseNetwork(text: string): Network | undefined {
  const [, address = '', length] = NETWORK.exec(text) ?? [];
  const host = length === undefined ? undefined : parseHost(address);
  const bytes = host !== undefined && isAddress(host) ? parseAddress(host) : undefined;
  if (bytes === undefined || Number(length) > 8 * bytes.length) return undefined;
  return { bytes, length: Number(length) };
}

/** Whether a canonical host is an address in the network. */
export function isInNetwork(host: string, network: Network): boolean {
  const bytes = isAddress(host) ? parseAddress(host) : undefined;
  return bytes !== undefined && contains(network, bytes);
}

function hostOrNetwork(network: Network): Partial<Pick<SearchInput, 'host' | 'network'>> {
  const { bytes, length } = network;
  return length === 8 * bytes.length ? { host: formatAddress(bytes) } : { network };
}

const SCHEME = /^[a-z][a-z0-9+]{1,15}(?::|\[:\])\/\//i;

/**
 * Analysts paste whole URLs, `hxxp://evil[.]example:8080/gate.php`; only host and port are stored.
 */
function withoutUrl(text: string): string {
  return SCHEME.test(text) ? (text.replace(SCHEME, '').split(/[/?#]/, 1)[0] ?? '') : text;
}

/** A host without a port. An IPv6 address may have brackets. */
function parseHost(text: string): string | undefined {
  return (parseC2Address(`${text}:1`) ?? parseC2Address(`[${text}]:1`))?.host;
}

const BELOW = /^\*?(?:\.|\[\.\]|\(\.\)|\[dot\])(?=.)/i;

/** `*.example.com` or `.example.com`. */
function parseBelow(text: string): string | undefined {
  if (!BELOW.test(text)) return undefined;
  const name = parseHost(text.replace(BELOW, ''));
  return name === undefined || isAddress(name) ? undefined : name;
}

/** Whether a canonical host is an IP address. The last label of a name is never a number. */
export function isAddress(host: string): boolean {
  return host.includes(':') || /\.[0-9]+$/.test(host);
}

/** `evil.example.com` as `com.example.evil`, so that subdomains share a prefix. */
export function reverseHost(host: string): string {
  return host.split('.').reverse().join('.');
}

/** The key in the index of hosts: names with their last label first, addresses as they are. */
export function hostKey(host: string): string {
  return isAddress(host) ? host : reverseHost(host);
}

/** Folds case, for comparison. */
export function foldText(text: string): string {
  return text.toWellFormed().normalize('NFC').toLowerCase();
}

const MAX_QUERY_WORDS = 8;
const MAX_WORDS = 40;
const MAX_WORD_LENGTH = 40;

/**
 * The distinct words of a text without case, accents and punctuation. Indexed names and search
 * texts use the same function, so that their words match.
 */
export function wordsOf(text: string): readonly string[] {
  // Most names are ASCII, which needs no normalization.
  if (ASCII.test(text)) return distinctWords(text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
  const folded = text.toWellFormed().normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  return distinctWords(folded.match(/[\p{L}\p{N}]+/gu) ?? []);
}

function distinctWords(words: readonly string[]): readonly string[] {
  const distinct = new Set<string>();
  for (const word of words)
    distinct.add(
      word.length <= MAX_WORD_LENGTH ? word : word.slice(0, MAX_WORD_LENGTH).toWellFormed(),
    );
  return [...distinct].slice(0, MAX_WORDS);
}

const ASCII = /^[\0-\x7f]*$/;

const INNER_WORD = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;

/** The words that find a name: `DarkLantern2` is also found by `lantern` and `2`. */
export function wordsOfName(name: string): readonly string[] {
  return [...wordsOf(name), ...wordsOf(name.split(INNER_WORD).join(' '))];
}

export function wordsOfNames(names: readonly string[]): readonly string[] {
  return firstWords(names.map(wordsOfName));
}

/** The distinct words of several names, of which each name has a list. */
export function firstWords(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].slice(0, MAX_WORDS);
}

/** A search word of this length also matches as a prefix. */
export const MIN_PREFIX_LENGTH = 3;

/** Whether each search word equals one of the words or is a prefix of it. */
export function hasWords(words: readonly string[], searchWords: readonly string[]): boolean {
  return searchWords.every((wanted) =>
    words.some((word) =>
      wanted.length < MIN_PREFIX_LENGTH ? word === wanted : word.startsWith(wanted),
    ),
  );
}
