import { ARM_CALLS } from './arm.ts';
import type { CodeRange, Copy, Memory } from './memory.ts';
import {
  clear,
  execute,
  type Instruction,
  ignore,
  Registers,
  range,
  type Step,
} from './registers.ts';

/**
 * Calls in T32 code (Thumb, "Arm Architecture Reference Manual", ARMv7-A): instructions of two or
 * four bytes.
 */
const PC = 15;
const PC_BIAS = 4;
const FIRST_WIDE = 0xe800;

const NARROW: readonly Instruction[] = [
  [0xff80, 0x4780, call], // blx
  [0xffff, 0x4770, clear], // bx lr
  [0xff00, 0xbd00, clear], // pop with pc
  [0xfe00, 0xde00, ignore], // exceptions, which look like branches
  [0xf080, 0xd080, clear], // b with a condition, backwards
  [0xfc00, 0xe400, clear], // b, backwards
  [0xf800, 0x2000, ({ registers, word }) => registers.set(highOf(word), word & 0xff)], // movs
  [0xf800, 0x3000, addToHigh], // adds
  [0xfe00, 0x1c00, addSmall],
  [
    0xff00,
    0x4600,
    ({ registers, word }) => registers.set(anyOf(word), registers.get(sourceOf(word))),
  ],
  [0xff00, 0x4400, addRegister],
  [0xf800, 0x4800, loadWord], // ldr rd, [pc, distance]
  [0xf000, 0xd000, ignore], // branches
  [0xf800, 0xe000, ignore],
  [0xfc00, 0x5000, ignore], // str, strh
  [0xfe00, 0x5400, ignore], // strb
  [0xe800, 0x6000, ignore], // str, strb with offset
  [0xe800, 0x8000, ignore], // strh, str on the stack
  [0xfe00, 0xb400, ignore], // push
  [0xf800, 0x2800, ignore], // cmp
  [0xfe00, 0xbc00, forgetLow], // pop
  [0xf000, 0xc000, forgetLow], // ldm, stm
  [0xf800, 0x3800, forgetHigh], // subs
  [0xf800, 0x9800, forgetHigh], // ldr from the stack
  [0xf000, 0xa000, forgetHigh], // adr, add rd, sp
  [0x0000, 0x0000, ({ registers, word }) => registers.forget([word & 7, anyOf(word)])],
];

const WIDE: readonly Instruction[] = [
  [0xf800c000, 0xf000c000, call], // bl, blx
  [0xfc00d000, 0xf4009000, clear], // b, backwards
  [0xfc00d000, 0xf4008000, clear], // b with a condition, backwards
  [0xffd08000, 0xe8908000, clear], // ldm with pc
  [0xfbf08000, 0xf2400000, ({ registers, word }) => registers.set(resultOf(word), halfOf(word))],
  [0xfbf08000, 0xf2c00000, setUpperHalf], // movt
  [0xffeff000, 0xf04f0000, ({ registers, word }) => registers.set(resultOf(word), word & 0xff)],
  [0xfbf08000, 0xf2000000, addImmediate], // addw
  [0xffe0f000, 0xf1000000, addImmediate], // add with an immediate that is not expanded
  [0xff7f0000, 0xf85f0000, loadWideWord],
  [0xff900000, 0xf8800000, ignore], // str with offset
  [0xff900fc0, 0xf8000000, ignore],
  [0xfe500000, 0xe8400000, forgetWide], // strd
  [0xfe000000, 0xe8000000, clear], // ldm, stm, ldrd
  [0x00000000, 0x00000000, forgetWide],
];

export function copiesOnThumb(memory: Memory): readonly Copy[] {
  const registers = new Registers(memory);
  for (const code of memory.code) {
    registers.clear();
    sweep(memory, registers, code);
  }
  return registers.copies;
}

function sweep(memory: Memory, registers: Registers, { address, offset, size }: CodeRange): void {
  const { bytes, bigEndian } = memory;
  const half = (at: number) =>
    bigEndian ? bytes.readUInt16BE(offset + at) : bytes.readUInt16LE(offset + at);
  for (let at = address % 2; at + 4 <= size; at += 2) {
    const step = { memory, registers, word: half(at), at: address + at };
    if (step.word < FIRST_WIDE) {
      execute(NARROW, step);
    } else {
      execute(WIDE, { ...step, word: ((step.word << 16) | half(at + 2)) >>> 0 });
      at += 2;
    }
  }
}

function call({ registers, at }: Step): void {
  registers.call(at, ARM_CALLS);
}

const highOf = (word: number) => (word >>> 8) & 7;
const anyOf = (word: number) => (word & 7) | ((word >>> 4) & 8);
const sourceOf = (word: number) => (word >>> 3) & 15;

function addToHigh({ registers, word }: Step): void {
  registers.sum32(highOf(word), registers.get(highOf(word)), word & 0xff);
}

function addSmall({ registers, word }: Step): void {
  registers.sum32(word & 7, registers.get((word >>> 3) & 7), (word >>> 6) & 7);
}

function addRegister({ registers, word, at }: Step): void {
  const isPc = sourceOf(word) === PC;
  const addend = isPc ? at + PC_BIAS : registers.get(sourceOf(word));
  registers.sum32(anyOf(word), registers.get(anyOf(word)), addend);
}

function loadWord({ registers, memory, word, at }: Step): void {
  registers.set(highOf(word), memory.word(aligned(at + PC_BIAS) + (word & 0xff) * 4));
}

function aligned(address: number): number {
  return address - (address % 4);
}

function forgetLow({ registers }: Step): void {
  registers.forget(range(0, 7));
}

function forgetHigh({ registers, word }: Step): void {
  registers.set(highOf(word), undefined);
}

const resultOf = (word: number) => (word >>> 8) & 15;
const baseOf = (word: number) => (word >>> 16) & 15;

/** Twelve bits, in three fields. */
function immediateOf(word: number): number {
  return ((word >>> 15) & 0x800) | ((word >>> 4) & 0x700) | (word & 0xff);
}

function halfOf(word: number): number {
  return (baseOf(word) << 12) | immediateOf(word);
}

function setUpperHalf({ registers, word }: Step): void {
  const low = registers.get(resultOf(word));
  const isKnown = low !== undefined;
  const value = isKnown ? ((low & 0xffff) | (halfOf(word) << 16)) >>> 0 : undefined;
  registers.set(resultOf(word), value);
}

function addImmediate({ registers, word }: Step): void {
  registers.sum32(resultOf(word), registers.get(baseOf(word)), immediateOf(word));
}

function loadWideWord({ registers, memory, word, at }: Step): void {
  const distance = (word & 0x00800000) === 0 ? -(word & 0xfff) : word & 0xfff;
  registers.set((word >>> 12) & 15, memory.word(aligned(at + PC_BIAS) + distance));
}

/** More than necessary: the result and the changed address may be in any of the fields. */
function forgetWide({ registers, word }: Step): void {
  registers.forget([resultOf(word), (word >>> 12) & 15, baseOf(word)]);
}
