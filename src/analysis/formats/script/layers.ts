import { inflateAtMost } from '../../codecs/inflate.ts';
import { isPlain, isWide } from './text.ts';

/** Something that a script carries in an encoded form. */
export interface Layer {
  readonly encoding: 'encoded command' | 'base64' | 'hex' | 'numbers' | 'characters';
  readonly bytes: Buffer;
  /** In the text it was found in. */
  readonly place: number;
}

const MIN_RUN = 40;
/** Shorter runs without a call around them are identifiers and hashes. */
const MIN_UNCALLED_RUN = 128;
const MAX_LAYERS = 64;
const CONTEXT = 64;
const DECODERS =
  /(?:frombase64string|b64decode|atob|decodebase64|base64_decode)\s?\(\s?(?:b?["'])?$/i;
const ENCODED_PARAMETER = /[-/\u2013\u0093](e[a-z]{0,13})\s["']?$/i;

/** Everything that may be decoded, in the order of the text. `cut` where there was more. */
export function findLayers(text: string): { layers: readonly Layer[]; cut: boolean } {
  const layers = [...base64Layers(text), ...numberLayers(text), ...characterLayers(text)];
  return { layers: layers.slice(0, MAX_LAYERS), cut: layers.length > MAX_LAYERS };
}

/** Runs of the alphabet; hex digits are part of it, and are told apart by having nothing else. */
function base64Layers(text: string): Layer[] {
  const layers: Layer[] = [];
  for (const [place, run] of alphabetRuns(text)) {
    const layer = layerOf(run, place, text.slice(Math.max(0, place - CONTEXT), place));
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
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=') {
  IN_ALPHABET[sign.charCodeAt(0)] = 1;
}

function layerOf(run: string, place: number, before: string): Layer | undefined {
  const parameter = ENCODED_PARAMETER.exec(before)?.[1]?.toLowerCase();
  if (parameter !== undefined && ('encodedcommand'.startsWith(parameter) || parameter === 'ec')) {
    const bytes = Buffer.from(run, 'base64');
    if (isWide(bytes)) return { encoding: 'encoded command', bytes, place };
  }
  const called = DECODERS.test(before);
  if (!called && run.length < MIN_UNCALLED_RUN) return undefined;
  const isHex = run.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(run);
  const bytes = isHex ? Buffer.from(run, 'hex') : decodeEitherWay(run);
  if (!called && !isTelling(bytes)) return undefined;
  return { encoding: isHex ? 'hex' : 'base64', bytes, place };
}

/** Some scripts carry it backwards and turn it round when they run. */
function decodeEitherWay(run: string): Buffer {
  const bytes = Buffer.from(run, 'base64');
  if (isTelling(bytes)) return bytes;
  const reversed = Buffer.from(Buffer.from(run, 'latin1').reverse().toString('latin1'), 'base64');
  return isTelling(reversed) ? reversed : bytes;
}

const MIN_NUMBERS = 32;

/** Lists such as `0x4d,0x5a,144` of bytes or character codes. */
function numberLayers(text: string): Layer[] {
  const layers: Layer[] = [];
  const list = /(?:0x[0-9a-f]{1,2}|\d{1,3})(?=\s{0,4},)/gi;
  for (let first = list.exec(text); first !== null; first = list.exec(text)) {
    const { values, end } = readNumbers(text, first.index);
    list.lastIndex = Math.max(end, first.index + first[0].length);
    if (values.length < MIN_NUMBERS) continue;
    const bytes = Buffer.from(values);
    const before = text.slice(Math.max(0, first.index - CONTEXT), first.index).toLowerCase();
    if (!isTelling(bytes) && !before.includes('byte[]')) continue;
    layers.push({ encoding: 'numbers', bytes, place: first.index });
    if (layers.length > MAX_LAYERS) break;
  }
  return layers;
}

function readNumbers(text: string, from: number): { values: number[]; end: number } {
  const item = /\s{0,4}(0x[0-9a-f]{1,2}|\d{1,3})(?![0-9a-z])\s{0,4}(,?)/iy;
  item.lastIndex = from;
  const values: number[] = [];
  let end = from;
  for (let found = item.exec(text); found !== null; found = item.exec(text)) {
    const value = Number(found[1]);
    if (value > 255) break;
    values.push(value);
    end = item.lastIndex;
    if (found[2] === '') break;
  }
  return { values, end };
}

const MIN_CHARACTERS = 8;
const CHARACTER = /(?:chrw?\$?\(|\[char\]\(?)\s?(\d{1,3}|&h[0-9a-f]{1,2}|0x[0-9a-f]{1,2})\s?\)?/gi;

/** Texts put together from single characters: `Chr(72) & Chr(105)`, `[char]72+[char]105`. */
function characterLayers(text: string): Layer[] {
  const layers: Layer[] = [];
  let codes: number[] = [];
  let place = 0;
  let end = -1;
  const finish = () => {
    if (codes.length >= MIN_CHARACTERS) {
      layers.push({ encoding: 'characters', bytes: Buffer.from(codes), place });
    }
    codes = [];
  };
  for (const found of text.matchAll(CHARACTER)) {
    // More than a joint between them: another text begins.
    if (found.index - end > 8) {
      finish();
      place = found.index;
    }
    codes.push(Number((found[1] ?? '0').replace(/^&h/i, '0x')) & 0xff);
    end = found.index + found[0].length;
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
  // Code that looks its functions up by itself, of 32 and of 64 bits.
  'fce88',
  'fc4883e4',
];

/** Whether bytes are something that is known: a program, an archive, a document, or text. */
export function isTelling(bytes: Buffer): boolean {
  if (bytes.length < 16) return false;
  const head = bytes.toString('hex', 0, 4);
  if (MAGICS.some((magic) => head.startsWith(magic)) || isZlib(bytes)) return true;
  const start = bytes.subarray(0, 512);
  // A filling of one or two values is no text, though each of them may be a letter.
  return isWide(bytes) || (isPlain(start) && isAscii(start) && new Set(start).size >= MIN_LETTERS);
}

function isAscii(bytes: Buffer): boolean {
  let other = 0;
  for (const code of bytes) if (code > 0x7e) other += 1;
  return other <= bytes.length * 0.05;
}

function isZlib(bytes: Buffer): boolean {
  return bytes[0] === 0x78 && bytes.length > 64 && bytes.readUInt16BE(0) % 31 === 0;
}

/** A layer's bytes, inflated where they were packed; raw deflate has no mark, so the script has to say it. */
export async function inflateLayer(
  bytes: Buffer,
  saysDeflate: boolean,
  most: number,
): Promise<{ bytes: Buffer; cut: boolean }> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return inflateAtMost(bytes, 'gzip', most);
  if (isZlib(bytes)) return inflateAtMost(bytes, 'zlib', most);
  if (saysDeflate && !isTelling(bytes)) {
    const inflated = await inflateAtMost(bytes, 'raw', most);
    if (inflated.bytes.length > 0) return inflated;
  }
  return { bytes, cut: false };
}
