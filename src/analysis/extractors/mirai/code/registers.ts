import { type CodeRange, type Copy, MAX_COPIES, type Memory } from './memory.ts';

/** Constants in the registers of a processor. */
export class Registers {
  readonly #values: (number | undefined)[] = [];
  readonly #memory: Memory;
  readonly #copies: Copy[] = [];
  #calls = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get copies(): readonly Copy[] {
    return this.#copies;
  }

  /** `undefined` if the value is not a constant. */
  get(register: number): number | undefined {
    return this.#values[register];
  }

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

  forget(registers: Iterable<number>): void {
    for (const register of registers) this.set(register, undefined);
  }

  /** The second argument is a text, the third its length; then the callee overwrites registers. */
  call(at: number, { text, length, overwritten }: Convention): void {
    const address = this.get(text);
    const offset = address === undefined ? undefined : this.#memory.offsetOf(address);
    // Small numbers are addresses within the headers of a position-independent program.
    const isText = offset !== undefined && offset >= this.#memory.headerBytes;
    if (isText && this.#copies.length < MAX_COPIES)
      this.#copies.push({
        at,
        offset,
        length: this.get(length),
        id: this.get(text - 1),
        call: this.#calls,
      });
    this.#calls += 1;
    this.forget(overwritten);
  }

  clear(): void {
    this.#values.length = 0;
  }
}

/** Which registers a call uses. */
export interface Convention {
  /** The registers of the second and the third argument. */
  readonly text: number;
  readonly length: number;
  readonly overwritten: readonly number[];
}

export interface Step {
  readonly memory: Memory;
  readonly registers: Registers;
  /** The instruction. */
  readonly word: number;
  readonly at: number;
}

/** The fixed bits of an instruction, and what it does to constants. */
export type Instruction = readonly [mask: number, bits: number, effect: (step: Step) => void];

/** Applies the first instruction that matches. */
export function execute(instructions: readonly Instruction[], step: Step): void {
  const { word } = step;
  for (const instruction of instructions) {
    if ((word & instruction[0]) >>> 0 !== instruction[1]) continue;
    instruction[2](step);
    return;
  }
}

/**
 * Follows constants through straight-line code of a processor with instructions of four bytes.
 * Mirai fills its table without branches.
 */
export function followConstants(
  memory: Memory,
  instructions: readonly Instruction[],
): readonly Copy[] {
  const registers = new Registers(memory);
  // One object for all steps: there are half a million of them in a large program.
  const step = { memory, registers, word: 0, at: 0 };
  for (const code of memory.code) {
    registers.clear();
    for (const [word, at] of wordsOf(memory, code)) {
      step.word = word;
      step.at = at;
      execute(instructions, step);
    }
  }
  return registers.copies;
}

/** Instructions with their addresses. */
export function* wordsOf(
  { bytes, bigEndian }: Memory,
  { address, offset, size }: CodeRange,
): Generator<readonly [word: number, at: number]> {
  const start = (4 - (address % 4)) % 4;
  for (let at = start; at + 4 <= size; at += 4) {
    const word = bigEndian ? bytes.readUInt32BE(offset + at) : bytes.readUInt32LE(offset + at);
    yield [word, address + at];
  }
}

/** No result: stores, comparisons, branches to later instructions. */
export function ignore(): void {
  // The registers keep their values.
}

/** The end of a function, or of a loop, whose registers change with every round. */
export function clear({ registers }: Step): void {
  registers.clear();
}

export function signed16(value: number): number {
  return (value << 16) >> 16;
}

export function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
