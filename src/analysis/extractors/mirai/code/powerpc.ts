import type { Copy, Memory } from './memory.ts';
import {
  type Convention,
  clear,
  followConstants,
  type Instruction,
  ignore,
  range,
  type Step,
  signed16,
} from './registers.ts';

/**
 * Calls in PowerPC code, 32 bits: addresses are two halves (`lis`, `addi`), or words of a table
 * relative to the program counter (`bcl 20,31` and `mflr`).
 */
/** The link register. */
const LR = 32;
const CALLS: Convention = { text: 4, length: 5, overwritten: [0, ...range(3, 12), LR] };

const resultOf = (word: number) => (word >>> 21) & 31;
const baseOf = (word: number) => (word >>> 16) & 31;

const INSTRUCTIONS: readonly Instruction[] = [
  [0xffffffff, 0x429f0005, ({ registers, at }) => registers.set(LR, at + 4)], // bcl 20,31,$+4
  [0xfc000003, 0x48000001, call], // bl
  [0xffffffff, 0x4e800421, call], // bctrl
  [0xffffffff, 0x4e800021, call], // blrl
  [0xffffffff, 0x4e800020, clear], // blr
  [0xfe000001, 0x4a000000, clear], // b, backwards
  [0xfc008001, 0x40008000, clear], // b with a condition, backwards
  [0xfc000000, 0x38000000, (step) => addImmediate(step, signed16(step.word))], // addi
  [0xfc000000, 0x3c000000, (step) => addImmediate(step, step.word << 16)], // addis
  [0xfc000000, 0x60000000, orImmediate], // ori
  [
    0xfc1fffff,
    0x7c0802a6,
    ({ registers, word }) => registers.set(resultOf(word), registers.get(LR)),
  ],
  [0xfc0007fe, 0x7c000378, moveRegister], // or
  [0xfc0007fe, 0x7c000214, addRegisters], // add
  [0xfc000000, 0x7c000000, forgetBoth],
  [0xfc000000, 0x80000000, loadWord], // lwz
  [0xf0000000, 0x50000000, forgetBase], // rotations, logical immediates
  [0xf0000000, 0x60000000, forgetBase],
  [0xf0000000, 0x70000000, forgetBase],
  [0xf4000000, 0x94000000, forgetBase], // stores with update
  [0xfc000000, 0xb4000000, forgetBase],
  [0xfc000000, 0xb8000000, clear], // lmw
  [0xf0000000, 0x90000000, ignore], // stores
  [0xf0000000, 0xb0000000, ignore],
  [0xc0000000, 0x80000000, forgetBoth], // other loads
  [0xe0000000, 0x20000000, (step) => step.registers.set(resultOf(step.word), undefined)],
  [0xf0000000, 0x10000000, (step) => step.registers.set(resultOf(step.word), undefined)],
];

export function copiesOnPowerPc(memory: Memory): readonly Copy[] {
  return followConstants(memory, INSTRUCTIONS);
}

function call({ registers, at }: Step): void {
  registers.call(at, CALLS);
}

/** Register 0 as a base is the number 0. */
function valueOfBase({ registers, word }: Step): number | undefined {
  return baseOf(word) === 0 ? 0 : registers.get(baseOf(word));
}

function addImmediate(step: Step, addend: number): void {
  step.registers.sum32(resultOf(step.word), valueOfBase(step), addend);
}

function orImmediate({ registers, word }: Step): void {
  const value = registers.get(resultOf(word));
  registers.set(baseOf(word), value === undefined ? undefined : (value | (word & 0xffff)) >>> 0);
}

/** `or` of a register with itself copies it. */
function moveRegister(step: Step): void {
  const { registers, word } = step;
  const isCopy = resultOf(word) === ((word >>> 11) & 31);
  registers.set(baseOf(word), isCopy ? registers.get(resultOf(word)) : undefined);
}

function addRegisters({ registers, word }: Step): void {
  registers.sum32(resultOf(word), registers.get(baseOf(word)), registers.get((word >>> 11) & 31));
}

function loadWord(step: Step): void {
  const base = valueOfBase(step);
  const address = base === undefined ? undefined : (base + signed16(step.word)) >>> 0;
  const value = address === undefined ? undefined : step.memory.word(address);
  step.registers.set(resultOf(step.word), value);
}

function forgetBase({ registers, word }: Step): void {
  registers.set(baseOf(word), undefined);
}

/** The result is in one of them, which depends on the instruction. */
function forgetBoth({ registers, word }: Step): void {
  registers.forget([resultOf(word), baseOf(word)]);
}
