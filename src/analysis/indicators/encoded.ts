import { endOfUrl, type FoundUrl, MAX_VALUE_LENGTH, parseUrl } from './url.ts';

/**
 * URLs encoded so that a search for "http" misses them. Base64 encodes "http" in three ways,
 * depending on the alignment, and in three more for UTF-16LE, the encoding of PowerShell commands:
 *
 *   bytes before   ASCII           UTF-16LE
 *   0              aHR0cDov…       aAB0AHQAcA…
 *   1              .. h0 dHA6…     .. gA dAB0 AHAA…
 *   2              ... o dHRw…     ... o AHQA dABw…
 *
 * All of them contain an "H", which serves as the anchor of the search.
 */
interface Base64Form {
  readonly needle: Buffer;
  /** The index of the first H in the needle. */
  readonly anchor: number;
  /** The index of the first complete group of four characters in the needle. */
  readonly group: number;
  /** Decoded bytes that belong to the letter before the group. */
  readonly skip: number;
  readonly encoding: 'latin1' | 'utf16le';
  /** The letters that the needle encodes before the group. */
  readonly prefix: string;
}

function base64Form(needle: string, [before, after]: readonly [string, string]): Base64Form {
  const wide = /^(?:aAB0|gA|oAHQ)/.test(needle);
  return {
    needle: Buffer.from(needle),
    anchor: needle.indexOf('H'),
    group: before.length,
    skip: wide && before === 'o' ? 1 : 0,
    encoding: wide ? 'utf16le' : 'latin1',
    prefix: after,
  };
}

const BASE64_FORMS: readonly Base64Form[] = [
  base64Form('aHR0cDovL', ['', '']),
  base64Form('aHR0cHM6Ly', ['', '']),
  base64Form('h0dHA6Ly', ['h0', 'ht']),
  base64Form('h0dHBzOi8v', ['h0', 'ht']),
  base64Form('odHRwOi8v', ['o', 'h']),
  base64Form('odHRwczov', ['o', 'h']),
  base64Form('aAB0AHQAcA', ['', '']),
  base64Form('gAdAB0AHAA', ['gA', 'h']),
  base64Form('oAHQAdABw', ['o', 'h']),
];
const BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/=]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
/** Base64 of UTF-16LE takes 8 characters for 3 letters. */
const MAX_ENCODED_LENGTH = MAX_VALUE_LENGTH * 3;

export interface DecodedUrl {
  readonly url: FoundUrl;
  readonly start: number;
}

/** Quick test: whether the neighbours of an H occur in one of the needles. */
export function mayBeBase64Url(bytes: Buffer, letterH: number): boolean {
  const [before, after] = [bytes[letterH - 1], bytes[letterH + 1]];
  if (before === 0x61) return after === 0x52; // aHR
  if (before === 0x64) return after === 0x41 || after === 0x42 || after === 0x52; // dHA, dHB, dHR
  return before === 0x41 && (after === 0x51 || after === 0x41); // AHQ, AHA
}

/** The end of the base64 run that contains `from`. */
export function endOfBase64(bytes: Buffer, from: number, limit: number): number {
  const maxEnd = Math.min(limit, from + MAX_ENCODED_LENGTH);
  let at = from;
  while (at < maxEnd && BASE64[bytes[at] as number] === 1) at += 1;
  return at;
}

export function decodeBase64Url(
  bytes: Buffer,
  anchor: number,
  end: number,
): DecodedUrl | undefined {
  const found = formAt(bytes, anchor);
  if (found === undefined) return undefined;
  const start = anchor - found.anchor;
  const decoded = Buffer.from(bytes.toString('latin1', start + found.group, end), 'base64');
  const text = found.prefix + decoded.subarray(found.skip).toString(found.encoding);
  const url = leadingUrl(text);
  return url === undefined ? undefined : { url, start };
}

function formAt(bytes: Buffer, anchor: number): Base64Form | undefined {
  return BASE64_FORMS.find(({ needle, anchor: inside }) =>
    matchesAt(bytes, anchor - inside, needle),
  );
}

function matchesAt(bytes: Buffer, start: number, needle: Buffer): boolean {
  if (start < 0 || start + needle.length > bytes.length) return false;
  for (let index = 0; index < needle.length; index += 1) {
    if (bytes[start + index] !== needle[index]) return false;
  }
  return true;
}

/** "687474703a2f2f…": a URL in hexadecimal digits. */
export function decodeHexUrl(digits: string): FoundUrl | undefined {
  return leadingUrl(Buffer.from(digits.slice(0, 2 * MAX_VALUE_LENGTH), 'hex').toString('latin1'));
}

/** "moc.live//:ptth" */
export function decodeReversedUrl(text: string): FoundUrl | undefined {
  return leadingUrl([...text].reverse().join(''));
}

/** The URL at the beginning of a text. */
export function leadingUrl(text: string): FoundUrl | undefined {
  const bytes = Buffer.from(text.slice(0, MAX_VALUE_LENGTH), 'latin1');
  return parseUrl(bytes.toString('latin1', 0, endOfUrl(bytes, 0, bytes.length)));
}
