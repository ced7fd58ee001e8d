import { endOfUrl, type FoundUrl, MAX_VALUE_LENGTH, parseUrl } from './url.ts';

/**
 * URLs that were wrapped so that a search for "http" misses them. Base64 has three ways to write "http",
 * depending on how many bytes stand before it, and as many again for UTF-16LE, as PowerShell wants its commands:
 *
 *   bytes before   ASCII           UTF-16LE
 *   0              aHR0cDov…       aAB0AHQAcA…
 *   1              .. h0 dHA6…     .. gA dAB0 AHAA…
 *   2              ... o dHRw…     ... o AHQA dABw…
 *
 * Each of them holds an "H", which is what a text is looked through for.
 */
interface Wrapping {
  readonly needle: Buffer;
  /** Where its first H stands in the needle. */
  readonly anchor: number;
  /** Where the first whole group of four signs begins in the needle. */
  readonly group: number;
  /** Bytes of the decoded group that belong to the letter before it. */
  readonly skip: number;
  readonly encoding: 'latin1' | 'utf16le';
  /** The letters that stand before the group. */
  readonly prefix: string;
}

function wrapping(needle: string, [before, after]: readonly [string, string]): Wrapping {
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

const WRAPPINGS: readonly Wrapping[] = [
  wrapping('aHR0cDovL', ['', '']),
  wrapping('aHR0cHM6Ly', ['', '']),
  wrapping('h0dHA6Ly', ['h0', 'ht']),
  wrapping('h0dHBzOi8v', ['h0', 'ht']),
  wrapping('odHRwOi8v', ['o', 'h']),
  wrapping('odHRwczov', ['o', 'h']),
  wrapping('aAB0AHQAcA', ['', '']),
  wrapping('gAdAB0AHAA', ['gA', 'h']),
  wrapping('oAHQAdABw', ['o', 'h']),
];
const BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/=]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
/** Base64 of UTF-16LE takes 8 signs for 3 letters. */
const MAX_WRAPPED_LENGTH = MAX_VALUE_LENGTH * 3;

export interface UnwrappedUrl {
  readonly url: FoundUrl;
  readonly start: number;
}

/** Quick: whether the letters on both sides of an H stand so in one of the needles. */
export function mayBeWrapped(bytes: Buffer, letterH: number): boolean {
  const [before, after] = [bytes[letterH - 1], bytes[letterH + 1]];
  if (before === 0x61) return after === 0x52; // aHR
  if (before === 0x64) return after === 0x41 || after === 0x42 || after === 0x52; // dHA, dHB, dHR
  return before === 0x41 && (after === 0x51 || after === 0x41); // AHQ, AHA
}

/** Where the base64 around that place ends. */
export function endOfBase64(bytes: Buffer, from: number, limit: number): number {
  const most = Math.min(limit, from + MAX_WRAPPED_LENGTH);
  let at = from;
  while (at < most && BASE64[bytes[at] as number] === 1) at += 1;
  return at;
}

export function unwrapBase64(bytes: Buffer, anchor: number, end: number): UnwrappedUrl | undefined {
  const found = wrappingAt(bytes, anchor);
  if (found === undefined) return undefined;
  const start = anchor - found.anchor;
  const decoded = Buffer.from(bytes.toString('latin1', start + found.group, end), 'base64');
  const text = found.prefix + decoded.subarray(found.skip).toString(found.encoding);
  const url = leadingUrl(text);
  return url === undefined ? undefined : { url, start };
}

function wrappingAt(bytes: Buffer, anchor: number): Wrapping | undefined {
  return WRAPPINGS.find(({ needle, anchor: inside }) => holds(bytes, anchor - inside, needle));
}

function holds(bytes: Buffer, start: number, needle: Buffer): boolean {
  if (start < 0 || start + needle.length > bytes.length) return false;
  for (let place = 0; place < needle.length; place += 1) {
    if (bytes[start + place] !== needle[place]) return false;
  }
  return true;
}

/** "687474703a2f2f…": text in hexadecimal digits. */
export function unwrapHex(digits: string): FoundUrl | undefined {
  return leadingUrl(Buffer.from(digits.slice(0, 2 * MAX_VALUE_LENGTH), 'hex').toString('latin1'));
}

/** "moc.live//:ptth" */
export function unwrapReversed(text: string): FoundUrl | undefined {
  return leadingUrl([...text].reverse().join(''));
}

/** The URL that a text begins with. */
export function leadingUrl(text: string): FoundUrl | undefined {
  const bytes = Buffer.from(text.slice(0, MAX_VALUE_LENGTH), 'latin1');
  return parseUrl(bytes.toString('latin1', 0, endOfUrl(bytes, 0, bytes.length)));
}
