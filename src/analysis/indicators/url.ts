/**
 * A URL found in text, its host in lower case. Single-label names and templates (`%s`) are
 * rejected.
 */
export interface FoundUrl {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
}

/** Longer values are cut. */
export const MAX_VALUE_LENGTH = 2048;

const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'ftp', 'tcp', 'udp', 'ws', 'wss']);
/** One letter more than the longest scheme, to detect a word that continues before it. */
export const SCHEME_WINDOW = 6;

const LABEL = /^[a-z0-9_][a-z0-9_-]{0,62}$/;
const LAST_LABEL = /^(?:[a-z]{2,24}|xn--[a-z0-9-]{2,30})$/;
const MAX_NAME_LENGTH = 253;
/** Characters that end a sentence or quotation around a URL, and seldom the URL itself. */
const TRAILING = '.,;:!?\'")]}';

/**
 * The number of letters before "://" that are not part of the scheme; `undefined` if there is no
 * known scheme.
 */
export function lettersBeforeScheme(letters: string): number | undefined {
  const lower = letters.toLowerCase();
  if (SCHEMES.has(lower)) return 0;
  // Strings are often stored back to back; only "http" is distinctive enough to be cut out of a
  // word.
  if (lower.endsWith('https')) return lower.length - 5;
  return lower.endsWith('http') ? lower.length - 4 : undefined;
}

/** Parses text that begins with a scheme and consists of URL characters. */
export function parseUrl(raw: string): FoundUrl | undefined {
  const text = withoutTrailing(raw.slice(0, MAX_VALUE_LENGTH), TRAILING);
  const colon = text.indexOf('://');
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!SCHEMES.has(scheme)) return undefined;
  const remainder = text.slice(colon + 3);
  const authority = remainder.slice(0, authorityLength(remainder));
  const host = hostOf(authority);
  if (host === undefined) return undefined;
  return { text, scheme, host, path: remainder.slice(authority.length) };
}

/** A loop, since a regular expression anchored at the end takes quadratic time. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? ' ')) end -= 1;
  return text.slice(0, end);
}

function authorityLength(remainder: string): number {
  const end = remainder.search(/[/?#]/);
  return end === -1 ? remainder.length : end;
}

/** The host of `user:password@host:port`, if it is valid. */
function hostOf(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  const [host = '', port = '', ...more] = authority.slice(at + 1).split(':');
  if (more.length > 0 || !/^\d{0,5}$/.test(port)) return undefined;
  return parseHost(host);
}

/** A dotted quad or a DNS name of two labels or more, in lower case. */
export function parseHost(text: string): string | undefined {
  const host = text.toLowerCase();
  if (parseQuad(host) !== undefined) return host;
  return isName(host) ? host : undefined;
}

function isName(host: string): boolean {
  if (host.length > MAX_NAME_LENGTH) return false;
  const labels = host.split('.');
  const last = labels.pop() ?? '';
  return labels.length > 0 && LAST_LABEL.test(last) && labels.every((label) => LABEL.test(label));
}

/** The four numbers of an IPv4 address in dotted decimal, without leading zeros. */
export function parseQuad(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(text)) return undefined;
  const parts = text.split('.');
  const numbers = parts.map(Number);
  const plain = parts.every((part) => part === '0' || !part.startsWith('0'));
  return plain && numbers.every((number) => number <= 255) ? numbers : undefined;
}

/** Addresses that no remote host can have: this host, multicast, reserved and broadcast. */
export function isUnroutable([first = 0]: readonly number[]): boolean {
  return first === 0 || first === 127 || first >= 224;
}

/** RFC 1918, link-local and carrier-grade NAT addresses: common in test builds. */
export function isPrivate([first = 0, second = 0]: readonly number[]): boolean {
  return (
    first === 10 ||
    (first === 192 && second === 168) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second < 128)
  );
}

/**
 * A table with 1 for the bytes of a URL (RFC 3986), without the apostrophe, which often quotes it.
 */
export const URL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9\-._~:/?#[\]@!$&()*+,;=%]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** The end of the URL that begins at `from`. */
export function endOfUrl(bytes: Buffer, from: number, limit: number): number {
  const maxEnd = Math.min(limit, from + MAX_VALUE_LENGTH);
  let at = from;
  while (at < maxEnd && URL_BYTES[bytes[at] as number] === 1) at += 1;
  return at;
}
