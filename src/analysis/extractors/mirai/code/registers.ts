import type { CodeRange, Copy, Memory } from './memory.ts';

/**
 * Constants in the registers of a processor with instructions of four bytes, followed through
 * straight-line code. Mirai fills its table without branches.
 */
export class Registers {
  readonly #values: (number | undefined)[] = [];
  readonly #memory: Memory;
  readonly #copies: Copy[] = [];

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get copies(): readonly Copy[] {
    return this.#copies;
  }

  get(register: number): number | undefined {
    return this.#values[register];
  }

  /** `undefined` if the value is not a constant. */
  set(register: number, value: number | undefined): void {
    this.#values[register] = value;
  }

  sum(register: number, base: number | undefined, addend: number | undefined): void {
    const isKnown = base !== undefined && addend !== undefined;
    this.set(register, isKnown ? base + addend : undefined);
  }

  sum32(register: number, base: number | undefined, addend: number | undefined): void {
    const isKnown = base !== undefined && addend !== undefined;
    this.set(register, isKnown ? (base + addend) >>> 0 : undefined);
  }

  /** The second argument is a text, the third its length; then the callee overwrites registers. */
  call(at: number, [pointer, length]: Arguments, overwritten: readonly number[]): void {
    const address = this.get(pointer);
    const offset = address === undefined ? undefined : this.#memory.offsetOf(address);
    // Small numbers are addresses within the headers of a position-independent program.
    if (offset !== undefined && offset >= this.#memory.headerBytes) this.#copies.push({ at, offset, length: this.get(length) });
    for (const register of overwritten) this.set(register, undefined);
  }

  /** The end of a function. */
  clear(): void {
    this.#values.length = 0;
  }
}

/** The registers of the second and the third argument. */
export type Arguments = readonly [pointer: number, length: number];

/** One instruction after the other. */
export function* instructions(
  { bytes, bigEndian }: Memory,
  { address, offset, size }: CodeRange,
): Generator<readonly [word: number, at: number]> {
  const start = (4 - (address % 4)) % 4;
  for (let at = start; at + 4 <= size; at += 4) {
    const word = bigEndian ? bytes.readUInt32BE(offset + at) : bytes.readUInt32LE(offset + at);
    yield [word, address + at];
  }
}

export function signed16(value: number): number {
  return (value << 16) >> 16;
}

export function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
