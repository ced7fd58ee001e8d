import type { Copy, Memory } from './memory.ts';
import { type Arguments, instructions, Registers, range } from './registers.ts';

/** Calls in A64 code: addresses are a page (`adrp`) and an offset (`add`). */
const ARGUMENTS: Arguments = [1, 2];
/** A call keeps x19 to x28. */
const OVERWRITTEN = [...range(0, 18), 30];
const PAGE = 4096;

export function copiesOnAarch64(memory: Memory): readonly Copy[] {
  const registers = new Registers(memory);
  for (const range of memory.code) {
    registers.clear();
    for (const [word, at] of instructions(memory, range)) step(registers, word, at);
  }
  return registers.copies;
}

function step(registers: Registers, word: number, at: number): void {
  const [rd, rn, rm] = [word & 31, (word >>> 5) & 31, (word >>> 16) & 31];
  if ((word & 0xfc000000) >>> 0 === 0x94000000 || (word & 0xfffffc1f) >>> 0 === 0xd63f0000) {
    registers.call(at, ARGUMENTS, OVERWRITTEN);
  } else if ((word & 0xfffffc1f) >>> 0 === 0xd65f0000 || isLoop(word)) {
    registers.clear();
  } else if ((word & 0x9f000000) >>> 0 === 0x90000000) {
    registers.set(rd, Math.floor(at / PAGE) * PAGE + displacement(word) * PAGE);
  } else if ((word & 0x9f000000) === 0x10000000) {
    registers.set(rd, at + displacement(word));
  } else if ((word & 0x7f800000) === 0x11000000) {
    const value = (word >>> 10) & 0xfff;
    registers.sum(rd, registers.get(rn), (word & 0x00400000) === 0 ? value : value * PAGE);
  } else if ((word & 0x7fe00000) === 0x52800000) {
    registers.set(rd, (word >>> 5) & 0xffff);
  } else if ((word & 0x7fe0ffe0) === 0x2a0003e0) {
    registers.set(rd, registers.get(rm));
  } else {
    forget(registers, word);
  }
}

/** A branch to an earlier instruction. Its registers change with every round. */
function isLoop(word: number): boolean {
  const isJump = (word & 0xfc000000) === 0x14000000 && (word & 0x02000000) !== 0;
  const isConditional = (word & 0xff000000) >>> 0 === 0x54000000 || (word & 0x7e000000) === 0x34000000;
  const isTest = (word & 0x7e000000) === 0x36000000 && (word & 0x00040000) !== 0;
  return isJump || isTest || (isConditional && (word & 0x00800000) !== 0);
}

/** Loads and stores that add to the register of the address. */
function isUpdated(word: number): boolean {
  const isSingle = (word & 0x3b200400) === 0x38000400;
  return isSingle || (word & 0x3a800000) === 0x28800000;
}

/** Of `adr` and `adrp`: 21 bits, in two fields. */
function displacement(word: number): number {
  const value = (((word >>> 5) & 0x7ffff) << 2) | ((word >>> 29) & 3);
  return (value << 11) >> 11;
}

function forget(registers: Registers, word: number): void {
  const isMemory = (word & 0x0a000000) === 0x08000000;
  const isPair = (word & 0x3a000000) === 0x28000000;
  if (isMemory && isUpdated(word)) registers.set((word >>> 5) & 31, undefined);
  // Branches have no result, and stores none either.
  if ((word & 0x1c000000) === 0x14000000) return;
  if (isMemory && (word & (isPair ? 0x00400000 : 0x00c00000)) === 0) return;
  registers.set(word & 31, undefined);
  if (isPair) registers.set((word >>> 10) & 31, undefined);
}
