/** A URL cut out of text. The host is in lower case; names of one label and templates (`%s`) are none. */
export interface FoundUrl {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
}

/** Longer values are cut: they are for people to read, and to search by their beginning. */
export const MAX_VALUE_LENGTH = 2048;

const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'ftp', 'tcp', 'udp', 'ws', 'wss']);
/** One letter more than the longest has, to see whether a word goes on before it. */
export const SCHEME_WINDOW = 6;

const LABEL = /^[a-z0-9_][a-z0-9_-]{0,62}$/;
const LAST_LABEL = /^(?:[a-z]{2,24}|xn--[a-z0-9-]{2,30})$/;
const MAX_NAME_LENGTH = 253;
/** What ends a sentence or a quotation around a URL, and seldom the URL itself. */
const TRAILING = '.,;:!?\'")]}';

/** How many of the letters before "://" are not part of the scheme; `undefined` where there is none we know. */
export function lettersBeforeScheme(letters: string): number | undefined {
  const lower = letters.toLowerCase();
  if (SCHEMES.has(lower)) return 0;
  // Texts are often stored back to back; only "http" is long enough to be cut out of a word.
  if (lower.endsWith('https')) return lower.length - 5;
  return lower.endsWith('http') ? lower.length - 4 : undefined;
}

/** Reads what begins with a scheme and holds only signs of a URL. */
export function parseUrl(raw: string): FoundUrl | undefined {
  const text = withoutTrailing(raw.slice(0, MAX_VALUE_LENGTH), TRAILING);
  const colon = text.indexOf('://');
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!SCHEMES.has(scheme)) return undefined;
  const rest = text.slice(colon + 3);
  const authority = rest.slice(0, authorityLength(rest));
  const host = hostOf(authority);
  if (host === undefined) return undefined;
  return { text, scheme, host, path: rest.slice(authority.length) };
}

/** By hand: a pattern that is tied to the end goes over every earlier row of these signs again and again. */
export function withoutTrailing(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1] ?? ' ')) end -= 1;
  return text.slice(0, end);
}

function authorityLength(rest: string): number {
  const end = rest.search(/[/?#]/);
  return end === -1 ? rest.length : end;
}

/** The host of `user:password@host:port`, if it may be one. */
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

/** The four numbers of an IPv4 address that is written the plain way. */
export function parseQuad(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(text)) return undefined;
  const parts = text.split('.');
  const numbers = parts.map(Number);
  const plain = parts.every((part) => part === '0' || !part.startsWith('0'));
  return plain && numbers.every((number) => number <= 255) ? numbers : undefined;
}

/** What nobody can be reached under from elsewhere: this host, broadcast, multicast and beyond. */
export function isNowhere([first = 0]: readonly number[]): boolean {
  return first === 0 || first === 127 || first >= 224;
}

/** RFC 1918, link-local and carrier-grade addresses: seen in test builds, and useless to others. */
export function isPrivate([first = 0, second = 0]: readonly number[]): boolean {
  return (
    first === 10 ||
    (first === 192 && second === 168) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second < 128)
  );
}

/** 1 for the bytes that a URL may hold (RFC 3986), without the apostrophe that often quotes it. */
export const URL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9\-._~:/?#[\]@!$&()*+,;=%]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Where the URL that begins at `from` ends. */
export function endOfUrl(bytes: Buffer, from: number, limit: number): number {
  const most = Math.min(limit, from + MAX_VALUE_LENGTH);
  let at = from;
  while (at < most && URL_BYTES[bytes[at] as number] === 1) at += 1;
  return at;
}
