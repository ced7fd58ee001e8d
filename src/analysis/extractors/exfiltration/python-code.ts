import { unzipSync } from 'node:zlib';
import { unpackXz, XZ_MAGIC } from '../../codecs/xz.ts';
import {
  isCode,
  type PyCode,
  type PythonVersion,
  type PyValue,
  readMarshal,
} from '../../formats/pyinstaller/marshal.ts';
import type { Exfiltration } from './channels.ts';
import { distinct, MOST_WAYS, waysIn } from './webhooks.ts';

/**
 * What Python code tells through its constants, also where it was wrapped a few times, as obfuscators do:
 *
 *   constants that are bytes of xz, zlib or gzip, or these in base64: source text or marshalled code
 *   four texts in a row: the first in ROT13, the third backwards; together base64 of marshalled code, packed or not
 *   texts in base64, or backwards
 *
 * Reference: https://github.com/Blank-c/BlankOBF, an obfuscator of this kind.
 */
export interface Limits {
  /** How much may come out of one layer. */
  readonly most: number;
  isOver(): boolean;
}

const MAX_LAYERS = 6;
const MAX_BRANCHES = 16;
/** Longer texts are no address and no number: what is left of them is looked at once in a program. */
const SHORT = 256;

/**
 * Lists of texts: one for each function, class and module. Numbers are texts there, for ids of chats. What is referred
 * to again and again is looked at once: a few hundred bytes may stand for billions of values, or for one long text
 * thousands of times.
 */
export function textLists(value: PyValue | undefined): string[][] {
  const lists: string[][] = [];
  const seen = new Set<PyValue>();
  const waiting: PyCode[] = isCode(value) ? [value] : [];
  for (let code = waiting.pop(); code !== undefined; code = waiting.pop()) {
    const list: string[] = [];
    visit(code.constants, seen, (leaf) => {
      if (isCode(leaf)) waiting.push(leaf);
      else list.push(...textOf(leaf));
    });
    lists.push(list);
  }
  return lists;
}

/** Every value that is no list, in its order, also of lists inside of lists. */
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
    // No deeper than they were read.
    if (Array.isArray(value)) visit(value as readonly PyValue[], seen, onLeaf);
    else onLeaf(value);
  }
}

function isLarge(value: PyValue): boolean {
  if (typeof value === 'string') return value.length > SHORT;
  return typeof value === 'object' && value !== null;
}

function textOf(value: PyValue): string[] {
  if (typeof value === 'string') return [value];
  if (Buffer.isBuffer(value)) return [value.toString('latin1')];
  return typeof value === 'number' || typeof value === 'bigint' ? [String(value)] : [];
}

/** Where the code sends what it takes, in all its layers. */
export function waysOfCode(
  code: PyValue | undefined,
  version: PythonVersion,
  limits: Limits,
): Exfiltration[] {
  return new Layers(version, limits).ways(code, 0);
}

class Layers {
  readonly #version: PythonVersion;
  readonly #limits: Limits;
  #branchesLeft = MAX_BRANCHES;

  constructor(version: PythonVersion, limits: Limits) {
    this.#version = version;
    this.#limits = limits;
  }

  ways(code: PyValue | undefined, layer: number): Exfiltration[] {
    const ways: Exfiltration[] = [];
    for (const list of textLists(code)) {
      if (ways.length >= MOST_WAYS || this.#limits.isOver()) break;
      ways.push(...waysIn(list.map(plainOf)));
      if (ways.length === 0) ways.push(...this.#inside(list, layer));
    }
    return distinct(ways);
  }

  #inside(texts: readonly string[], layer: number): Exfiltration[] {
    if (layer >= MAX_LAYERS || this.#limits.isOver()) return [];
    return [...texts.flatMap((text) => this.#unpacked(text, layer)), ...this.#joined(texts, layer)];
  }

  #unpacked(text: string, layer: number): Exfiltration[] {
    const packed = packedBytes(text);
    const content = packed && this.#branch() ? this.#unpack(packed) : undefined;
    if (content === undefined) return [];
    const code = readMarshal(content, this.#version);
    if (isCode(code)) return this.ways(code, layer + 1);
    const literals = literalsOf(content.toString('utf8'));
    return [...waysIn(literals.map(plainOf)), ...this.#inside(literals, layer + 1)];
  }

  #unpack(bytes: Buffer): Buffer | undefined {
    const { most, isOver } = this.#limits;
    if (bytes.subarray(0, XZ_MAGIC.length).equals(XZ_MAGIC))
      return unpackXz(bytes, { most, isOver });
    try {
      return unzipSync(bytes, { maxOutputLength: most });
    } catch {
      return undefined;
    }
  }

  #joined(texts: readonly string[], layer: number): Exfiltration[] {
    const pieces = texts.filter((text) => PIECE.test(text));
    const [first, second, third, fourth] = pieces;
    if (pieces.length !== 4 || !first || !second || !third || !fourth || !this.#branch()) return [];
    const text = rot13(first) + second + backwards(third) + fourth;
    const code = readMarshal(Buffer.from(text, 'base64'), this.#version);
    return isCode(code) ? this.ways(code, layer + 1) : this.#unpacked(text, layer);
  }

  #branch(): boolean {
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
/** The same in base64. */
const ENCODED_STARTS = ['/Td6WFoA', 'eJ', 'eN', 'eA', 'H4sI'];
const PIECE = /^[A-Za-z0-9+/=]{16,}$/;
const BASE64 = /^[A-Za-z0-9+/]{40,}={0,2}$/;
const BACKWARDS = /s?ptth$|^[\w-]{33}AA:\d{8,10}$/;
const LONGEST_ENCODED = 8192;

function packedBytes(text: string): Buffer | undefined {
  if (PACKED_STARTS.some((start) => text.startsWith(start))) return Buffer.from(text, 'latin1');
  const isEncoded = ENCODED_STARTS.some((start) => text.startsWith(start)) && PIECE.test(text);
  const bytes = isEncoded ? Buffer.from(text, 'base64') : undefined;
  const start = bytes?.toString('latin1', 0, XZ_MAGIC.length) ?? '';
  return PACKED_STARTS.some((known) => start.startsWith(known)) ? bytes : undefined;
}

/** The text itself, or what it is once base64 or its direction is undone. */
function plainOf(text: string): string {
  if (text.length > LONGEST_ENCODED) return text;
  if (BASE64.test(text)) return Buffer.from(text, 'base64').toString('latin1');
  return BACKWARDS.test(text) ? backwards(text) : text;
}

function backwards(text: string): string {
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
/** What may follow in a text that began with that sign: its end, the end of the line, or an escape. */
const STOPS: Readonly<Record<string, RegExp>> = { '"': /["\\\n]/g, "'": /['\\\n]/g };

/** Texts and bytes as source code writes them. */
function literalsOf(source: string): string[] {
  const literals: string[] = [];
  let at = nextOf(QUOTES, source, 0);
  while (at !== -1 && literals.length < MAX_LITERALS) {
    const end = endOfLiteral(source, at);
    if (source[end] === source[at]) literals.push(unescaped(source.slice(at + 1, end)));
    // What does not end in its line is none. Looking again behind its first sign would take for ever.
    at = nextOf(QUOTES, source, end + 1);
  }
  return literals;
}

/** Where its closing sign stands, or the line or all ends without one. */
function endOfLiteral(source: string, start: number): number {
  const stops = STOPS[source[start] ?? ''] ?? QUOTES;
  let at = nextOf(stops, source, start + 1);
  while (source[at] === '\\') at = nextOf(stops, source, at + 2);
  return at === -1 ? source.length : at;
}

function nextOf(signs: RegExp, text: string, from: number): number {
  signs.lastIndex = from;
  return signs.exec(text)?.index ?? -1;
}

function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-f]{2})|(.))/gis, (_, hex?: string, sign?: string) =>
    hex === undefined
      ? (ESCAPES[sign ?? ''] ?? sign ?? '')
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
