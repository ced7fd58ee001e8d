import { base64Bytes } from '../../codecs/base64.ts';
import { rc4 } from '../../codecs/rc4.ts';
import type { Budget } from '../../formats/format.ts';
import type { NativeProgram } from '../../formats/pe/native-program.ts';
import type { DecodedText } from './xor-texts.ts';

/**
 * Strings of StealC 2, in the constants of the program: each is base64 of RC4, ended by a zero
 * byte. All have the same key, which is a plain string next to them. RC4 restarts for every string.
 *
 * Only a key that decrypts nearly all padded strings (those that end in `=`) to ASCII is accepted.
 * A wrong key gives a printable byte in two of five cases, so it decrypts short strings only.
 */
const MIN_PADDED = 16;
const MIN_READABLE_SHARE = 0.9;
const PADDING_END = Buffer.from('=\0');
const MAX_PADDED = 4_096;
const MAX_LITERALS = 16_384;
const MAX_LENGTH = 1_024;
/** The key and unpadded strings stand before the first or after the last padded string. */
const MARGIN_BYTES = 4_096;
const MAX_WINDOW_BYTES = 512 * 1_024;

const KEY = /^[A-Za-z0-9]{6,64}$/;
const MAX_KEYS = 2_048;
/** A key is tried on this many bytes of a few strings first. */
const PROBE_ZEROS = Buffer.alloc(24);
const PROBES = 6;

const TEXT = /^[\t\r\n -~]+$/;
const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/=]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

interface Encoded {
  readonly bytes: Buffer;
  readonly offset: number;
  readonly isPadded: boolean;
}

/** The strings in the order of the file; empty if no key decrypts them. */
export function rc4Texts(program: NativeProgram, budget: Budget): readonly DecodedText[] {
  for (const { start, end } of program.dataParts()) {
    const window = windowOf(program.bytes.subarray(start, end));
    if (window === undefined || budget.isOver()) continue;
    const literals = literalsOf(program.bytes, start + window.start, start + window.end);
    const encoded = literals.flatMap(encodedOf);
    const texts = decryptAll(encoded, keysOf(literals), budget);
    if (texts.length > 0) return texts;
  }
  return [];
}

/** The bytes around the padded strings; `undefined` if there are too few. */
function windowOf(bytes: Buffer): { start: number; end: number } | undefined {
  const ends: number[] = [];
  let at = bytes.indexOf(PADDING_END);
  for (let tries = 0; at !== -1 && tries < MAX_PADDED; tries += 1) {
    if (isBase64End(bytes, at)) ends.push(at);
    at = bytes.indexOf(PADDING_END, at + 1);
  }
  if (ends.length < MIN_PADDED) return undefined;
  const start = Math.max(0, (ends[0] ?? 0) - MARGIN_BYTES);
  const end = Math.min(bytes.length, (ends.at(-1) ?? 0) + MARGIN_BYTES);
  return { start, end: Math.min(end, start + MAX_WINDOW_BYTES) };
}

/** Whether a string of two or more groups ends here: in other data, `=` and zero meet by chance. */
function isBase64End(bytes: Buffer, end: number): boolean {
  let start = end;
  while (end - start < MAX_LENGTH && IS_BASE64[bytes[start - 1] ?? 0] === 1) start -= 1;
  return end + 1 - start >= 8 && (end + 1 - start) % 4 === 0;
}

/** Runs of base64 characters that a zero byte ends. */
function literalsOf(bytes: Buffer, start: number, end: number): DecodedText[] {
  const literals: DecodedText[] = [];
  for (let at = start; at < end && literals.length < MAX_LITERALS; at += 1) {
    const from = at;
    while (at < end && IS_BASE64[bytes[at] as number] === 1) at += 1;
    if (at - from >= 4 && at - from <= MAX_LENGTH && at < end && bytes[at] === 0)
      literals.push({ text: bytes.toString('latin1', from, at), offset: from });
  }
  return literals;
}

function encodedOf({ text, offset }: DecodedText): Encoded[] {
  const bytes = base64Bytes(text);
  // Encoders leave unused bits zero.
  if (bytes === undefined || bytes.toString('base64') !== text) return [];
  return [{ bytes, offset, isPadded: text.endsWith('=') }];
}

function keysOf(literals: readonly DecodedText[]): Buffer[] {
  const keys = new Set(literals.map(({ text }) => text).filter((text) => KEY.test(text)));
  return [...keys].slice(0, MAX_KEYS).map((key) => Buffer.from(key, 'latin1'));
}

function decryptAll(
  encoded: readonly Encoded[],
  keys: readonly Buffer[],
  budget: Budget,
): DecodedText[] {
  const padded = encoded.filter(({ isPadded }) => isPadded);
  if (padded.length < MIN_PADDED) return [];
  const probes = padded
    .map(({ bytes }) => bytes.subarray(0, PROBE_ZEROS.length))
    .toSorted((one, other) => other.length - one.length)
    .slice(0, PROBES);
  for (const [index, key] of keys.entries()) {
    if (index % 64 === 0 && budget.isOver()) return [];
    const beginning = rc4(key, PROBE_ZEROS);
    if (!probes.some((bytes) => isText(xored(bytes, beginning)))) continue;
    const stream = rc4(key, Buffer.alloc(MAX_LENGTH));
    const readable = padded.filter(({ bytes }) => isText(xored(bytes, stream)));
    if (readable.length < padded.length * MIN_READABLE_SHARE) continue;
    return encoded.flatMap(({ bytes, offset }) => {
      const text = xored(bytes, stream);
      return isText(text) ? [{ text: text.toString('latin1'), offset }] : [];
    });
  }
  return [];
}

function xored(bytes: Buffer, stream: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (stream[index] ?? 0)));
}

function isText(bytes: Buffer): boolean {
  return TEXT.test(bytes.toString('latin1'));
}
