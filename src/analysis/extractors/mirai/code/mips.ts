import type { Copy, Memory } from './memory.ts';
import {
  type Convention,
  execute,
  type Instruction,
  Registers,
  range,
  type Step,
  signed16,
  wordsOf,
} from './registers.ts';

/**
 * Calls in MIPS code, 32 bits: addresses are two halves (`lui`, `addiu`), or a page from the global
 * offset table and a half. The instruction after a jump is executed before it.
 */
const CALLS: Convention = { text: 5, length: 6, overwritten: [...range(1, 15), 24, 25, 31] };
const GP = 28;

const baseOf = (word: number) => (word >>> 21) & 31;
const targetOf = (word: number) => (word >>> 16) & 31;

const INSTRUCTIONS: readonly Instruction[] = [
  [0xfc00003f, 0x00000021, addRegisters], // addu
  [0xfc1f003f, 0x00000025, addRegisters], // or rd, rs, $0
  [0xffe0003f, 0x00000025, addRegisters], // or rd, $0, rt
  [0xfc000000, 0x00000000, ({ registers, word }) => registers.set((word >>> 11) & 31, undefined)],
  [0xf8000000, 0x20000000, addImmediate], // addi, addiu
  [0xfc000000, 0x34000000, orImmediate], // ori
  [0xfc000000, 0x3c000000, (step) => set(step, (step.word << 16) >>> 0)], // lui
  [0xffe00000, 0x8f800000, loadEntry], // lw rt, distance($gp)
  [0xe0000000, 0x80000000, (step) => set(step, undefined)], // other loads
  [0xe0000000, 0x20000000, (step) => set(step, undefined)], // other immediates
];

export function copiesOnMips(memory: Memory): readonly Copy[] {
  const registers = new Registers(memory);
  for (const code of memory.code) {
    registers.clear();
    let delayed: 'call' | 'end' | undefined;
    for (const [word, at] of wordsOf(memory, code)) {
      registers.set(0, 0);
      const next = jumpOf(word);
      if (next === undefined) execute(INSTRUCTIONS, { memory, registers, word, at });
      if (delayed === 'call') registers.call(at, CALLS);
      if (delayed === 'end') registers.clear();
      delayed = next;
    }
  }
  return registers.copies;
}

const CALL_BITS = [
  [0xfc000000, 0x0c000000], // jal
  [0xfc00003f, 0x00000009], // jalr
  [0xffff0000, 0x04110000], // bal
] as const;

/** Ends of functions and branches to earlier instructions, after which registers are unknown. */
const END_BITS = [
  [0xffffffff, 0x03e00008], // jr $ra
  [0xfc000000, 0x08000000], // j
  [0xf0008000, 0x10008000], // beq, bne, blez, bgtz
  [0xf0008000, 0x50008000], // the same, likely
  [0xfc108000, 0x04008000], // bltz, bgez
] as const;

function jumpOf(word: number): 'call' | 'end' | undefined {
  if (CALL_BITS.some(([mask, bits]) => (word & mask) >>> 0 === bits)) return 'call';
  return END_BITS.some(([mask, bits]) => (word & mask) >>> 0 === bits) ? 'end' : undefined;
}

function set({ registers, word }: Step, value: number | undefined): void {
  registers.set(targetOf(word), value);
}

/** The global pointer is the same in the whole program. */
function registerValue({ registers, memory }: Step, register: number): number | undefined {
  return registers.get(register) ?? (register === GP ? memory.globalPointer : undefined);
}

function addRegisters({ registers, word }: Step): void {
  registers.sum32((word >>> 11) & 31, registers.get(baseOf(word)), registers.get(targetOf(word)));
}

function addImmediate(step: Step): void {
  const { registers, word } = step;
  registers.sum32(targetOf(word), registerValue(step, baseOf(word)), signed16(word));
}

function orImmediate(step: Step): void {
  const base = registerValue(step, baseOf(step.word));
  set(step, base === undefined ? undefined : (base | (step.word & 0xffff)) >>> 0);
}

/** The page of a text, from the global offset table. */
function loadEntry(step: Step): void {
  const base = registerValue(step, GP);
  const address = base === undefined ? undefined : (base + signed16(step.word)) >>> 0;
  set(step, address === undefined ? undefined : step.memory.word(address));
}
