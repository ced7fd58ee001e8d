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

/**
 * Calls in A32 code ("Arm Architecture Reference Manual", ARMv7-A). Texts have their address in a
 * word after the function, absolute or relative to `add rd, pc, rd`.
 */
export const ARM_CALLS: Convention = { text: 1, length: 2, overwritten: [...range(0, 3), 12, 14] };
const PC = 15;
const PC_BIAS = 8;

const baseOf = (word: number) => (word >>> 16) & 15;
const resultOf = (word: number) => (word >>> 12) & 15;

/** Eight bits, rotated. */
function immediateOf(word: number): number {
  const [bits, by] = [word & 0xff, ((word >>> 8) & 15) * 2];
  return ((bits >>> by) | (by === 0 ? 0 : bits << (32 - by))) >>> 0;
}

function halfOf(word: number): number {
  return ((word >>> 4) & 0xf000) | (word & 0xfff);
}

function registerValue({ registers, at }: Step, register: number): number | undefined {
  return register === PC ? at + PC_BIAS : registers.get(register);
}

/** Conditional instructions match only the masks without the condition. */
const INSTRUCTIONS: readonly Instruction[] = [
  [0x0f000000, 0x0b000000, call], // bl
  [0x0ffffff0, 0x012fff30, call], // blx
  [0x0f800000, 0x0a800000, clear], // b, backwards
  [0x0f000000, 0x0a000000, ignore],
  [0xffffffff, 0xe12fff1e, clear], // bx lr
  [0xffffffff, 0xe1a0f00e, clear], // mov pc, lr
  [0xfe108000, 0xe8108000, clear], // ldm with pc
  [0xff7f0000, 0xe51f0000, loadWord], // ldr rd, [pc, distance]
  [0x0f3000f0, 0x010000b0, ignore], // strh with offset
  [0x0e000090, 0x00000090, forgetBoth], // multiplications, other halves and doubles
  [0x0d900000, 0x01100000, ignore], // tst, teq, cmp, cmn
  [0xffe00ff0, 0xe0800000, addRegisters],
  [0xffe00000, 0xe2800000, (step) => addImmediate(step, immediateOf(step.word))],
  [0xffe00000, 0xe2400000, (step) => addImmediate(step, -immediateOf(step.word))],
  [0xffef0000, 0xe3a00000, (step) => set(step, immediateOf(step.word))], // mov
  [0xfff00000, 0xe3000000, (step) => set(step, halfOf(step.word))], // movw
  [0xfff00000, 0xe3400000, setUpperHalf], // movt
  [0xffef0ff0, 0xe1a00000, (step) => set(step, registerValue(step, step.word & 15))], // mov
  [0x0f300000, 0x05000000, ignore], // str with offset
  [0x0c100000, 0x04000000, forgetBase],
  [0x0e300000, 0x08000000, ignore], // stm
  [0x0e100000, 0x08000000, forgetBase],
  [0x0e100000, 0x08100000, forgetList], // ldm
  [0x0f300000, 0x05100000, (step) => set(step, undefined)], // ldr with offset
  [0x0c100000, 0x04100000, forgetBoth],
  [0x00000000, 0x00000000, (step) => set(step, undefined)],
];

export function copiesOnArm(memory: Memory): readonly Copy[] {
  return followConstants(memory, INSTRUCTIONS);
}

function call({ registers, at }: Step): void {
  registers.call(at, ARM_CALLS);
}

function set({ registers, word }: Step, value: number | undefined): void {
  registers.set(resultOf(word), value);
}

function loadWord(step: Step): void {
  const { memory, word, at } = step;
  const distance = (word & 0x00800000) === 0 ? -(word & 0xfff) : word & 0xfff;
  set(step, memory.word(at + PC_BIAS + distance));
}

function addRegisters(step: Step): void {
  const { registers, word } = step;
  registers.sum32(
    resultOf(word),
    registerValue(step, baseOf(word)),
    registerValue(step, word & 15),
  );
}

function addImmediate(step: Step, addend: number): void {
  step.registers.sum32(resultOf(step.word), registerValue(step, baseOf(step.word)), addend);
}

function setUpperHalf(step: Step): void {
  const low = step.registers.get(resultOf(step.word));
  const isKnown = low !== undefined;
  set(step, isKnown ? ((low & 0xffff) | (halfOf(step.word) << 16)) >>> 0 : undefined);
}

/** The register of the address changes, too. */
function forgetBase({ registers, word }: Step): void {
  registers.set(baseOf(word), undefined);
}

function forgetBoth({ registers, word }: Step): void {
  registers.forget([resultOf(word), resultOf(word) + 1, baseOf(word)]);
}

function forgetList({ registers, word }: Step): void {
  registers.forget([...range(0, 15).filter((one) => (word & (1 << one)) !== 0), baseOf(word)]);
}
