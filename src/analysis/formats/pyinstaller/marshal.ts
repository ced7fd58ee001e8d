import { Reader } from '../../reader.ts';

/**
 * The format of Python's `marshal`: a type in one byte (bit 80: later values may refer to it by its
 * index), then
 *
 *   N T F . S     None, True, False, Ellipsis, StopIteration
 *   i I l         i32, i64, i32 count of 15-bit digits (negative: the sign)
 *   g f y x       floats: 8 bytes, u8 and text, twice 8 bytes, twice u8 and text
 *   s t u a A     u32 and bytes; u UTF-8           z Z        u8 and ASCII
 *   ( [ < >       u32 and values                   )          u8 and values
 *   {             keys and values up to 0          r R        u32: reference to an earlier value
 *   :             three values: a slice
 *   c             code: integers, then values (see `CODE`), among them the constants
 *
 * Reference: https://docs.python.org/3/library/marshal.html and the descriptions of `.pyc` files.
 */
export type PyValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Buffer
  | readonly PyValue[]
  | PyCode;

/** The code of a module, class or function, reduced to the fields that are used. */
export interface PyCode {
  readonly constants: readonly PyValue[];
}

/** 3.11 is 311, and 3.9 is 309. */
export type PythonVersion = number;

const MAX_DEPTH = 100;
const MAX_VALUES = 500_000;
const MAX_DIGITS = 64;
/** Since this version code objects have other fields. */
const PYTHON_3_11 = 311;

export function isCode(value: PyValue | undefined): value is PyCode {
  return typeof value === 'object' && value !== null && 'constants' in value;
}

/** The value, or `undefined` if it is damaged or of another version. */
export function readMarshal(bytes: Buffer, version: PythonVersion): PyValue | undefined {
  try {
    return new MarshalReader(bytes, version).value(0);
  } catch (cause) {
    if (cause instanceof Unreadable) return undefined;
    throw cause;
  }
}

/** Thrown on damage, so that callers need not check every step. */
class Unreadable extends Error {}

class MarshalReader {
  readonly #reader: Reader;
  readonly #version: PythonVersion;
  readonly #known: PyValue[] = [];
  /** Python 2 refers only to texts of the type t. */
  readonly #interned: PyValue[] = [];
  #at = 0;
  #values = 0;

  constructor(bytes: Buffer, version: PythonVersion) {
    this.#reader = new Reader(bytes);
    this.#version = version;
  }

  value(depth: number): PyValue {
    this.#values += 1;
    if (depth > MAX_DEPTH || this.#values > MAX_VALUES) throw new Unreadable();
    const type = this.#byte();
    const isKept = (type & 0x80) !== 0;
    // It gets its index before the values inside of it.
    const number = this.#known.length;
    if (isKept) this.#known.push(null);
    const value = this.#ofType(String.fromCharCode(type & 0x7f), depth);
    if (isKept) this.#known[number] = value;
    return value;
  }

  #ofType(type: string, depth: number): PyValue {
    const simple = SIMPLE.get(type);
    if (simple !== undefined) return simple;
    if ('stuaA'.includes(type)) return this.#text(type, this.#word());
    if ('zZ'.includes(type)) return this.#text(type, this.#byte());
    if ('([<>'.includes(type)) return this.#list(this.#word(), depth);
    if (type === ')') return this.#list(this.#byte(), depth);
    if (type === '{') return this.#pairs(depth);
    if (type === ':') return this.#list(3, depth);
    if (type === 'c') return this.#code(depth);
    return this.#scalar(type);
  }

  #scalar(type: string): PyValue {
    if (type === 'i') return this.#word() | 0;
    if (type === 'I') return this.#take(8).readBigInt64LE();
    if (type === 'l') return this.#long();
    if (type === 'g') return this.#take(8).readDoubleLE();
    if (type === 'f') return Number(this.#take(this.#byte()).toString('latin1'));
    if (type === 'y') return this.#skipped(16);
    if (type === 'x') return this.#skipped(this.#byte()) ?? this.#skipped(this.#byte());
    if (type === 'r') return this.#known[this.#word()] ?? null;
    if (type === 'R') return this.#interned[this.#word()] ?? null;
    throw new Unreadable();
  }

  #text(type: string, length: number): string | Buffer {
    const bytes = this.#take(length);
    if (type === 's') return bytes;
    if (type === 't') this.#interned.push(bytes.toString('utf8'));
    return bytes.toString(type === 'u' || type === 't' ? 'utf8' : 'latin1');
  }

  #list(count: number, depth: number): PyValue[] {
    // Each value takes at least one byte.
    if (count > this.#reader.length - this.#at) throw new Unreadable();
    const values: PyValue[] = [];
    while (values.length < count) values.push(this.value(depth + 1));
    return values;
  }

  #pairs(depth: number): PyValue[] {
    const pairs: PyValue[] = [];
    while (this.#reader.u8(this.#at) !== END_OF_PAIRS) {
      pairs.push([this.value(depth + 1), this.value(depth + 1)]);
    }
    this.#at += 1;
    return pairs;
  }

  #code(depth: number): PyCode {
    const version = this.#version;
    this.#take(4 * numbersOfCode(version));
    // The instructions.
    this.value(depth + 1);
    const constants = this.value(depth + 1);
    // Until 3.10: names, variables, free and cell variables, file, name. Since then: names,
    // variables, their kinds, file, name, qualified name.
    for (let remaining = 6; remaining > 0; remaining -= 1) this.value(depth + 1);
    this.#take(4);
    // Line numbers; since 3.11 also exceptions.
    this.value(depth + 1);
    if (version >= PYTHON_3_11) this.value(depth + 1);
    return { constants: Array.isArray(constants) ? constants : [] };
  }

  #long(): number | bigint {
    const count = this.#word() | 0;
    const digits = this.#take(2 * Math.abs(count));
    if (Math.abs(count) > MAX_DIGITS) return 0;
    let value = 0n;
    for (let at = digits.length - 2; at >= 0; at -= 2) {
      value = (value << 15n) | BigInt(digits.readUInt16LE(at) & 0x7fff);
    }
    return count < 0 ? -value : value;
  }

  #skipped(count: number): null {
    this.#take(count);
    return null;
  }

  #byte(): number {
    return this.#take(1).readUInt8();
  }

  #word(): number {
    return this.#take(4).readUInt32LE();
  }

  #take(count: number): Buffer {
    const bytes = this.#reader.slice(this.#at, count);
    if (bytes === undefined) throw new Unreadable();
    this.#at += count;
    return bytes;
  }
}

const END_OF_PAIRS = 0x30;
const SIMPLE: ReadonlyMap<string, null | boolean> = new Map([
  ['0', null],
  ['N', null],
  ['S', null],
  ['.', null],
  ['T', true],
  ['F', false],
]);

/**
 * Numbers of arguments (3.0 adds keyword-only ones, 3.8 positional-only ones), variables (until
 * 3.10), stack, flags.
 */
function numbersOfCode(version: PythonVersion): number {
  if (version < 300) return 4;
  return version >= 308 && version < PYTHON_3_11 ? 6 : 5;
}
