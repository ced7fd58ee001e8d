import { inflateAtMost } from '../../codecs/inflate.ts';
import { byteLists } from './byte-lists.ts';
import { escapedLiterals } from './escaped-literals.ts';
import { isPlain, isWide } from './text.ts';

/** Encoded content of a script. */
export interface Layer {
  readonly encoding: 'encoded command' | 'base64' | 'hex' | 'numbers' | 'escapes' | 'characters';
  readonly bytes: Buffer;
  /** The index in the text that it was found in. */
  readonly index: number;
}

const MIN_RUN = 40;
/** Shorter runs without a decoding call are identifiers and hashes. */
const MIN_UNCALLED_RUN = 128;
const MAX_LAYERS = 64;
const CONTEXT = 64;
const DECODERS =
  /(?:frombase64string|b64decode|atob|decodebase64|base64_decode)\s?\(\s?(?:b?["'])?$/i;
const ENCODED_PARAMETER = /[-/\u2013\u0093](e[a-z]{0,13})\s["']?$/i;

/**
 * All content that can be decoded. `cut` if a limit was reached. Escapes are read in the original
 * text: blanks between them are content.
 */
export function findLayers(
  plain: string,
  original: string,
): { layers: readonly Layer[]; cut: boolean } {
  const layers = [
    ...base64Layers(plain),
    ...numberLayers(plain),
    ...escapeLayers(original),
    ...characterLayers(plain),
  ];
  return { layers: layers.slice(0, MAX_LAYERS), cut: layers.length > MAX_LAYERS };
}

/** Content that is written byte by byte, as in the source of any language. */
export function byteLayers(text: string): readonly Layer[] {
  return [...numberLayers(text), ...escapeLayers(text)];
}

/** Runs of the base64 alphabet. Runs of only hexadecimal digits are decoded as such. */
function base64Layers(text: string): Layer[] {
  const layers: Layer[] = [];
  for (const [index, run] of alphabetRuns(text)) {
    const layer = layerOf(run, index, text.slice(Math.max(0, index - CONTEXT), index));
    if (layer !== undefined) layers.push(layer);
    if (layers.length > MAX_LAYERS) break;
  }
  return layers;
}

function* alphabetRuns(text: string): Generator<[number, string]> {
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && IN_ALPHABET[text.charCodeAt(at)] === 1) continue;
    if (at - from >= MIN_RUN) yield [from, text.slice(from, at)];
    from = at + 1;
  }
}

const IN_ALPHABET = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=') {
  IN_ALPHABET[character.charCodeAt(0)] = 1;
}

function layerOf(run: string, index: number, before: string): Layer | undefined {
  const parameter = ENCODED_PARAMETER.exec(before)?.[1]?.toLowerCase();
  if (parameter !== undefined && ('encodedcommand'.startsWith(parameter) || parameter === 'ec')) {
    const bytes = Buffer.from(run, 'base64');
    if (isWide(bytes)) return { encoding: 'encoded command', bytes, index };
  }
  const called = DECODERS.test(before);
  if (!called && run.length < MIN_UNCALLED_RUN) return undefined;
  const isHex = run.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(run);
  const bytes = isHex ? Buffer.from(run, 'hex') : decodeEitherWay(run);
  if (!called && !isRecognised(bytes)) return undefined;
  return { encoding: isHex ? 'hex' : 'base64', bytes, index };
}

/** Some scripts store the text reversed. */
function decodeEitherWay(run: string): Buffer {
  const bytes = Buffer.from(run, 'base64');
  if (isRecognised(bytes)) return bytes;
  const reversed = Buffer.from(Buffer.from(run, 'latin1').reverse().toString('latin1'), 'base64');
  return isRecognised(reversed) ? reversed : bytes;
}

const MIN_NUMBERS = 32;

/** Lists such as `0x4d,0x5a,144` of bytes or character codes. */
function numberLayers(text: string): Layer[] {
  const layers: Layer[] = [];
  for (const { index, bytes, isSigned } of byteLists(text, MIN_NUMBERS)) {
    const before = text.slice(Math.max(0, index - CONTEXT), index).toLowerCase();
    // Signed lists are bytes: characters have no sign.
    const isKnown = isSigned ? hasMagic(bytes) : isRecognised(bytes);
    if (!isKnown && !before.includes('byte[]')) continue;
    layers.push({ encoding: 'numbers', bytes, index });
    if (layers.length > MAX_LAYERS) break;
  }
  return layers;
}

const MIN_ESCAPED = 32;
/** Shorter texts in escapes are words and names of an obfuscated script. */
const MIN_ESCAPED_TEXT = 256;

/** Literals such as `"\xfc\xe8"`. Text counts only if all of it is escaped. */
function escapeLayers(text: string): Layer[] {
  const layers: Layer[] = [];
  for (const { index, bytes, escapes } of escapedLiterals(text, MIN_ESCAPED)) {
    const isText = escapes === bytes.length && bytes.length >= MIN_ESCAPED_TEXT;
    if (!(isText ? isRecognised(bytes) : hasMagic(bytes))) continue;
    layers.push({ encoding: 'escapes', bytes, index });
    if (layers.length > MAX_LAYERS) break;
  }
  return layers;
}

const MIN_CHARACTERS = 8;
const CHARACTER = /(?:chrw?\$?\(|\[char\]\(?)\s?(\d{1,3}|&h[0-9a-f]{1,2}|0x[0-9a-f]{1,2})\s?\)?/gi;

/** Texts concatenated from single characters: `Chr(72) & Chr(105)`, `[char]72+[char]105`. */
function characterLayers(text: string): Layer[] {
  const layers: Layer[] = [];
  let codes: number[] = [];
  let index = 0;
  let end = -1;
  const finish = () => {
    if (codes.length >= MIN_CHARACTERS) {
      layers.push({ encoding: 'characters', bytes: Buffer.from(codes), index });
    }
    codes = [];
  };
  for (const match of text.matchAll(CHARACTER)) {
    // More than an operator between them: another text begins.
    if (match.index - end > 8) {
      finish();
      index = match.index;
    }
    codes.push(Number((match[1] ?? '0').replace(/^&h/i, '0x')) & 0xff);
    end = match.index + match[0].length;
    if (layers.length > MAX_LAYERS) break;
  }
  finish();
  return layers;
}

const MIN_LETTERS = 8;
const MAGICS = [
  '4d5a',
  '504b0304',
  'd0cf11e0',
  '1f8b08',
  '25504446',
  '7b5c7274',
  '7f454c46',
  '377abcaf',
  // Shellcode that resolves its own functions, 32-bit and 64-bit.
  'fce88',
  'fc4883e4',
  'fc4881e4',
];
const NOP = 0x90;
const MAX_SLED = 64;

/** Whether the bytes are a known format: a program, an archive, a document, or text. */
export function isRecognised(bytes: Buffer): boolean {
  if (bytes.length < 16) return false;
  if (hasMagic(bytes) || isZlib(bytes)) return true;
  const start = bytes.subarray(0, 512);
  // A padding of one or two values is no text, even if they are letters.
  return isWide(bytes) || (isPlain(start) && isAscii(start) && new Set(start).size >= MIN_LETTERS);
}

/** Whether the bytes begin as a known format, or as shellcode, also behind a sled of `nop`. */
export function hasMagic(bytes: Buffer): boolean {
  let start = 0;
  while (start < MAX_SLED && bytes[start] === NOP) start += 1;
  const head = bytes.toString('hex', start, start + 4);
  return MAGICS.some((magic) => head.startsWith(magic));
}

function isAscii(bytes: Buffer): boolean {
  let other = 0;
  for (const code of bytes) if (code > 0x7e) other += 1;
  return other <= bytes.length * 0.05;
}

function isZlib(bytes: Buffer): boolean {
  return bytes[0] === 0x78 && bytes.length > 64 && bytes.readUInt16BE(0) % 31 === 0;
}

/**
 * The bytes of a layer, inflated if packed. Raw deflate has no magic number, so the script must
 * mention it.
 */
export async function inflateLayer(
  bytes: Buffer,
  mentionsDeflate: boolean,
  maxBytes: number,
): Promise<{ bytes: Buffer; cut: boolean }> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return inflateAtMost(bytes, 'gzip', maxBytes);
  if (isZlib(bytes)) return inflateAtMost(bytes, 'zlib', maxBytes);
  if (mentionsDeflate && !isRecognised(bytes)) {
    const inflated = await inflateAtMost(bytes, 'raw', maxBytes);
    if (inflated.bytes.length > 0) return inflated;
  }
  return { bytes, cut: false };
}
