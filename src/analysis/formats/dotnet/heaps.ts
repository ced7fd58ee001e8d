import { Reader } from '../../reader.ts';

/** Obfuscators make names kilobytes long. */
const MAX_NAME_BYTES = 512;
const MAX_USER_STRINGS = 100_000;
/** Overlapping strings may decode the heap repeatedly: limit, in multiples of its size. */
const USER_STRING_PASSES = 4;

/** A literal of the program and the token that `ldstr` uses for it. */
export interface UserString {
  readonly token: number;
  readonly text: string;
  /** In the file. */
  readonly offset: number;
}

/** The content of a heap and its offset in the file. */
export interface HeapData {
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * The four heaps (ECMA-335, II.24.2.3 to II.24.2.5). An index out of range gives an empty value.
 */
export class Heaps {
  readonly #strings: Reader;
  readonly #blobs: Reader;
  readonly #guids: Reader;
  readonly #user: Reader;
  readonly #userOffset: number;
  readonly #literals = new Map<number, string>();
  #userBytesLeft: number;

  constructor(heaps: Readonly<Record<'strings' | 'user' | 'blobs' | 'guids', HeapData>>) {
    this.#strings = new Reader(heaps.strings.bytes);
    this.#blobs = new Reader(heaps.blobs.bytes);
    this.#guids = new Reader(heaps.guids.bytes);
    this.#user = new Reader(heaps.user.bytes);
    this.#userOffset = heaps.user.offset;
    this.#userBytesLeft = heaps.user.bytes.length * USER_STRING_PASSES;
  }

  name(index: number): string {
    return this.#strings.text(index, MAX_NAME_BYTES, 'utf8') ?? '';
  }

  blob(index: number): Buffer {
    const length = readCompressed(this.#blobs, index);
    if (length === undefined) return Buffer.alloc(0);
    return this.#blobs.upTo(index + length.size, length.value);
  }

  /** Indexes start at 1; an entry has sixteen bytes. */
  guid(index: number): string | undefined {
    const bytes = this.#guids.slice((index - 1) * 16, 16);
    return bytes === undefined ? undefined : formatGuid(bytes);
  }

  /** Accepts a token (0x70 in its top byte) or an index. */
  userString(token: number): UserString | undefined {
    const index = token & 0xffffff;
    const length = readCompressed(this.#user, index);
    if (length === undefined) return undefined;
    const at = index + length.size;
    const text = this.#literals.get(index) ?? this.#decode(index, at, length.value);
    if (text === undefined) return undefined;
    return { token: (0x70000000 | index) >>> 0, text, offset: this.#userOffset + at };
  }

  /** Every literal in the order of the heap, which is usually that of the source. */
  *userStrings(): Generator<UserString> {
    let index = 1;
    for (let count = 0; count < MAX_USER_STRINGS && index < this.#user.length; count += 1) {
      const length = readCompressed(this.#user, index);
      if (length === undefined) return;
      const found = length.value === 0 ? undefined : this.userString(index);
      if (found !== undefined) yield found;
      index += length.size + length.value;
    }
  }

  /** UTF-16LE and one flag byte. */
  #decode(index: number, at: number, length: number): string | undefined {
    const bytes = this.#user.upTo(at, length - (length & 1));
    if (bytes.length > this.#userBytesLeft) return undefined;
    this.#userBytesLeft -= bytes.length;
    const text = bytes.toString('utf16le');
    this.#literals.set(index, text);
    return text;
  }
}

/** A compressed unsigned integer of one, two or four bytes (ECMA-335, II.23.2). */
export function readCompressed(
  reader: Reader,
  at: number,
): { readonly value: number; readonly size: number } | undefined {
  const first = reader.u8(at);
  if (first === undefined) return undefined;
  if (first < 0x80) return { value: first, size: 1 };
  if (first < 0xc0) {
    const value = reader.u16(at, true);
    return value === undefined ? undefined : { value: value & 0x3fff, size: 2 };
  }
  const value = reader.u32(at, true);
  return value === undefined ? undefined : { value: value & 0x1fffffff, size: 4 };
}

/** The first three groups are little-endian. */
function formatGuid(bytes: Buffer): string {
  const groups = [
    Buffer.from(bytes.subarray(0, 4)).reverse(),
    Buffer.from(bytes.subarray(4, 6)).reverse(),
    Buffer.from(bytes.subarray(6, 8)).reverse(),
    bytes.subarray(8, 10),
    bytes.subarray(10, 16),
  ];
  return groups.map((group) => group.toString('hex')).join('-');
}
