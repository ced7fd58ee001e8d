import type { Copy, Memory } from './memory.ts';
import {
  type Convention,
  clear,
  followConstants,
  type Instruction,
  ignore,
  range,
  type Step,
} from './registers.ts';

/** Calls in A64 code: addresses are a page (`adrp`) and an offset (`add`). */
const CALLS: Convention = { text: 1, length: 2, overwritten: [...range(0, 18), 30] };
const PAGE = 4096;

const resultOf = (word: number) => word & 31;
const baseOf = (word: number) => (word >>> 5) & 31;

const INSTRUCTIONS: readonly Instruction[] = [
  [0xfc000000, 0x94000000, call], // bl
  [0xfffffc1f, 0xd63f0000, call], // blr
  [0xfffffc1f, 0xd65f0000, clear], // ret
  [0xfe000000, 0x16000000, clear], // b, backwards
  [0xff800000, 0x54800000, clear], // b with a condition, backwards
  [0x7e800000, 0x34800000, clear], // cbz, cbnz, backwards
  [0x7e040000, 0x36040000, clear], // tbz, tbnz, backwards
  [0x1c000000, 0x14000000, ignore], // other branches
  [0x9f000000, 0x90000000, setPage], // adrp
  [0x9f000000, 0x10000000, (step) => set(step, step.at + displacementOf(step.word))], // adr
  [0x7f800000, 0x11000000, addImmediate],
  [0x7fe00000, 0x52800000, (step) => set(step, (step.word >>> 5) & 0xffff)], // movz
  [0x7fe0ffe0, 0x2a0003e0, moveRegister],
  [0x3ac00000, 0x28800000, forgetBase], // stp with update
  [0x3ac00000, 0x28000000, ignore], // stp
  [0x3a000000, 0x28000000, forgetPair], // ldp
  [0x3be00400, 0x38000400, forgetBase], // str with update
  [0x3bc00000, 0x38000000, ignore], // str
  [0x3bc00000, 0x39000000, ignore],
  [0x3b000000, 0x38000000, forgetPair], // ldr
  [0x00000000, 0x00000000, (step) => set(step, undefined)],
];

export function copiesOnAarch64(memory: Memory): readonly Copy[] {
  return followConstants(memory, INSTRUCTIONS);
}

function call({ registers, at }: Step): void {
  registers.call(at, CALLS);
}

function set({ registers, word }: Step, value: number | undefined): void {
  registers.set(resultOf(word), value);
}

/** 21 bits, in two fields. */
function displacementOf(word: number): number {
  const value = (((word >>> 5) & 0x7ffff) << 2) | ((word >>> 29) & 3);
  return (value << 11) >> 11;
}

function setPage(step: Step): void {
  set(step, (Math.floor(step.at / PAGE) + displacementOf(step.word)) * PAGE);
}

function addImmediate({ registers, word }: Step): void {
  const value = (word >>> 10) & 0xfff;
  const isPages = (word & 0x00400000) !== 0;
  registers.sum(resultOf(word), registers.get(baseOf(word)), isPages ? value * PAGE : value);
}

function moveRegister(step: Step): void {
  set(step, step.registers.get((step.word >>> 16) & 31));
}

/** The register of the address changes. */
function forgetBase({ registers, word }: Step): void {
  registers.set(baseOf(word), undefined);
}

/** Loads may change the register of the address, too. */
function forgetPair({ registers, word }: Step): void {
  const isUpdate = (word & 0x3b200400) === 0x38000400 || (word & 0x3a800000) === 0x28800000;
  const isPair = (word & 0x3a000000) === 0x28000000;
  registers.set(resultOf(word), undefined);
  if (isPair) registers.set((word >>> 10) & 31, undefined);
  if (isUpdate) registers.set(baseOf(word), undefined);
}
