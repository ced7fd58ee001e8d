import { unzipSync } from 'node:zlib';
import { unpackXz, XZ_MAGIC } from '../../codecs/xz.ts';
import {
  isCode,
  type PyCode,
  type PythonVersion,
  type PyValue,
  readMarshal,
} from '../../formats/pyinstaller/marshal.ts';
import type { ExfiltrationChannel } from './channels.ts';
import { channelsIn, distinctChannels, MAX_CHANNELS } from './webhooks.ts';

/**
 * Finds exfiltration channels in the constants of Python code and in the layers that obfuscators
 * add:
 *
 * | layer | content |
 * |---|---|
 * | xz, zlib or gzip, raw or in base64 | source text or marshalled code |
 * | four texts: the first in ROT13, the third reversed | joined: base64 of one of the above |
 * | base64 or reversed text | a webhook or token |
 *
 * Reference: https://github.com/Blank-c/BlankOBF, an obfuscator of this kind.
 */
export interface LayerLimits {
  /** Size of one unpacked layer. */
  readonly maxBytes: number;
  isOver(): boolean;
}

const MAX_LAYERS = 6;
const MAX_BRANCHES = 16;
/** Longer texts are read once for a program, however often code refers to them. */
const SHORT_TEXT = 256;

/**
 * One list of texts for each function, class and module. Numbers are included as text, because chat
 * ids may be numbers. Shared values are visited once: marshalled references let a few hundred bytes
 * expand to billions of values.
 */
export function textLists(value: PyValue | undefined): string[][] {
  const lists: string[][] = [];
  const seen = new Set<PyValue>();
  const pending: PyCode[] = isCode(value) ? [value] : [];
  for (let code = pending.pop(); code !== undefined; code = pending.pop()) {
    const list: string[] = [];
    visit(code.constants, seen, (leaf) => {
      if (isCode(leaf)) pending.push(leaf);
      else list.push(...textOf(leaf));
    });
    lists.push(list);
  }
  return lists;
}

/** Calls `onLeaf` for every value of nested lists, in order. */
function visit(
  values: readonly PyValue[],
  seen: Set<PyValue>,
  onLeaf: (leaf: PyValue) => void,
): void {
  for (const value of values) {
    if (isLarge(value)) {
      if (seen.has(value)) continue;
      seen.add(value);
    }
    // The marshal reader limits the depth.
    if (Array.isArray(value)) visit(value as readonly PyValue[], seen, onLeaf);
    else onLeaf(value);
  }
}

function isLarge(value: PyValue): boolean {
  if (typeof value === 'string') return value.length > SHORT_TEXT;
  return typeof value === 'object' && value !== null;
}

function textOf(value: PyValue): string[] {
  if (typeof value === 'string') return [value];
  if (Buffer.isBuffer(value)) return [value.toString('latin1')];
  return typeof value === 'number' || typeof value === 'bigint' ? [String(value)] : [];
}

/** The channels in the code and in its layers. */
export function channelsInCode(
  code: PyValue | undefined,
  version: PythonVersion,
  limits: LayerLimits,
): ExfiltrationChannel[] {
  return new Layers(version, limits).channels(code, 0);
}

class Layers {
  readonly #version: PythonVersion;
  readonly #limits: LayerLimits;
  #branchesLeft = MAX_BRANCHES;

  constructor(version: PythonVersion, limits: LayerLimits) {
    this.#version = version;
    this.#limits = limits;
  }

  channels(code: PyValue | undefined, layer: number): ExfiltrationChannel[] {
    const channels: ExfiltrationChannel[] = [];
    for (const list of textLists(code)) {
      if (channels.length >= MAX_CHANNELS || this.#limits.isOver()) break;
      channels.push(...channelsIn(list.map(plainOf)));
      if (channels.length === 0) channels.push(...this.#inLayers(list, layer));
    }
    return distinctChannels(channels);
  }

  #inLayers(texts: readonly string[], layer: number): ExfiltrationChannel[] {
    if (layer >= MAX_LAYERS || this.#limits.isOver()) return [];
    return [
      ...texts.flatMap((text) => this.#inPackedText(text, layer)),
      ...this.#inJoinedTexts(texts, layer),
    ];
  }

  #inPackedText(text: string, layer: number): ExfiltrationChannel[] {
    const packed = packedBytes(text);
    const content = packed && this.#takeBranch() ? this.#unpack(packed) : undefined;
    if (content === undefined) return [];
    const code = readMarshal(content, this.#version);
    if (isCode(code)) return this.channels(code, layer + 1);
    const literals = literalsOf(content.toString('utf8'));
    return [...channelsIn(literals.map(plainOf)), ...this.#inLayers(literals, layer + 1)];
  }

  #unpack(bytes: Buffer): Buffer | undefined {
    const { maxBytes, isOver } = this.#limits;
    if (bytes.subarray(0, XZ_MAGIC.length).equals(XZ_MAGIC))
      return unpackXz(bytes, { maxBytes, isOver });
    try {
      return unzipSync(bytes, { maxOutputLength: maxBytes });
    } catch {
      return undefined;
    }
  }

  #inJoinedTexts(texts: readonly string[], layer: number): ExfiltrationChannel[] {
    const pieces = texts.filter((text) => PIECE.test(text));
    const [first, second, third, fourth] = pieces;
    if (pieces.length !== 4 || !first || !second || !third || !fourth || !this.#takeBranch())
      return [];
    const text = rot13(first) + second + reversed(third) + fourth;
    const code = readMarshal(Buffer.from(text, 'base64'), this.#version);
    return isCode(code) ? this.channels(code, layer + 1) : this.#inPackedText(text, layer);
  }

  #takeBranch(): boolean {
    this.#branchesLeft -= 1;
    return this.#branchesLeft >= 0;
  }
}

const PACKED_STARTS = [
  XZ_MAGIC.toString('latin1'),
  '\x78\x9c',
  '\x78\xda',
  '\x78\x01',
  '\x1f\x8b\x08',
];
/** The same starts in base64. */
const ENCODED_STARTS = ['/Td6WFoA', 'eJ', 'eN', 'eA', 'H4sI'];
const PIECE = /^[A-Za-z0-9+/=]{16,}$/;
const BASE64 = /^[A-Za-z0-9+/]{40,}={0,2}$/;
const REVERSED = /s?ptth$|^[\w-]{33}AA:\d{8,10}$/;
const MAX_ENCODED_LENGTH = 8192;

function packedBytes(text: string): Buffer | undefined {
  if (PACKED_STARTS.some((start) => text.startsWith(start))) return Buffer.from(text, 'latin1');
  const isEncoded = ENCODED_STARTS.some((start) => text.startsWith(start)) && PIECE.test(text);
  const bytes = isEncoded ? Buffer.from(text, 'base64') : undefined;
  const start = bytes?.toString('latin1', 0, XZ_MAGIC.length) ?? '';
  return PACKED_STARTS.some((known) => start.startsWith(known)) ? bytes : undefined;
}

/** Decodes base64 and restores reversed texts; other texts are unchanged. */
function plainOf(text: string): string {
  if (text.length > MAX_ENCODED_LENGTH) return text;
  if (BASE64.test(text)) return Buffer.from(text, 'base64').toString('latin1');
  return REVERSED.test(text) ? reversed(text) : text;
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

const MAX_LITERALS = 10_000;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0' };
const QUOTES = /["']/g;
/** By quotation mark: what ends a literal or starts an escape. */
const STOPS: Readonly<Record<string, RegExp>> = { '"': /["\\\n]/g, "'": /['\\\n]/g };

/** The string and bytes literals of source code. */
function literalsOf(source: string): string[] {
  const literals: string[] = [];
  let at = nextOf(QUOTES, source, 0);
  while (at !== -1 && literals.length < MAX_LITERALS) {
    const end = endOfLiteral(source, at);
    if (source[end] === source[at]) literals.push(unescaped(source.slice(at + 1, end)));
    // An unterminated line is skipped: a restart after its first quote would take quadratic time.
    at = nextOf(QUOTES, source, end + 1);
  }
  return literals;
}

/** Index of the closing quote, or of the end of the line or source if there is none. */
function endOfLiteral(source: string, start: number): number {
  const stops = STOPS[source[start] ?? ''] ?? QUOTES;
  let at = nextOf(stops, source, start + 1);
  while (source[at] === '\\') at = nextOf(stops, source, at + 2);
  return at === -1 ? source.length : at;
}

function nextOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
}

function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-f]{2})|(.))/gis, (_, hex?: string, character?: string) =>
    hex === undefined
      ? (ESCAPES[character ?? ''] ?? character ?? '')
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
