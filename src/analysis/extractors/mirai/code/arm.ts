import type { Copy, Memory } from './memory.ts';
import { type Arguments, instructions, Registers, range } from './registers.ts';

/**
 * Calls in A32 code ("Arm Architecture Reference Manual", ARMv7-A). Texts have their address in a
 * word after the function, absolute or relative to `add rd, pc, rd`.
 */
const ARGUMENTS: Arguments = [1, 2];
/** A call keeps r4 to r11. */
const OVERWRITTEN = [...range(0, 3), 12, 14];
const PC = 15;
const ALWAYS = 0xe;
const PC_BIAS = 8;

export function copiesOnArm(memory: Memory): readonly Copy[] {
  const registers = new Registers(memory);
  for (const range of memory.code) {
    registers.clear();
    for (const [word, at] of instructions(memory, range)) step(memory, registers, word, at);
  }
  return registers.copies;
}

function step(memory: Memory, registers: Registers, word: number, at: number): void {
  const isAlways = word >>> 28 === ALWAYS;
  const [rn, rd, rm] = [(word >>> 16) & 15, (word >>> 12) & 15, word & 15];
  if ((word & 0x0f000000) === 0x0b000000 || (word & 0x0ffffff0) === 0x012fff30) {
    registers.call(at, ARGUMENTS, OVERWRITTEN);
  } else if (isReturn(word) || isLoop(word)) {
    if (isAlways || isLoop(word)) registers.clear();
  } else if (isStoreOrBranch(word)) {
    if (isUpdated(word)) registers.set(rn, undefined);
  } else if (!isAlways) {
    registers.set(rd, undefined);
  } else if ((word & 0x0f7f0000) === 0x051f0000) {
    const distance = (word & 0x00800000) === 0 ? -(word & 0xfff) : word & 0xfff;
    registers.set(rd, memory.word(at + PC_BIAS + distance));
  } else if ((word & 0x0fe00ff0) === 0x00800000) {
    const base = rn === PC ? at + PC_BIAS : registers.get(rn);
    registers.sum32(rd, base, rm === PC ? at + PC_BIAS : registers.get(rm));
  } else {
    setImmediate(registers, word);
  }
}

function setImmediate(registers: Registers, word: number): void {
  const [rn, rd, rm] = [(word >>> 16) & 15, (word >>> 12) & 15, word & 15];
  const wide = ((word >>> 4) & 0xf000) | (word & 0xfff);
  const value = rotated(word);
  const low = registers.get(rd);
  if ((word & 0x0fe00000) === 0x02800000) registers.sum32(rd, registers.get(rn), value);
  else if ((word & 0x0fe00000) === 0x02400000) registers.sum32(rd, registers.get(rn), -value);
  else if ((word & 0x0fef0000) === 0x03a00000) registers.set(rd, value);
  else if ((word & 0x0fef0000) === 0x03e00000) registers.set(rd, ~value >>> 0);
  else if ((word & 0x0fef0ff0) === 0x01a00000) registers.set(rd, registers.get(rm));
  else if ((word & 0x0ff00000) === 0x03000000) registers.set(rd, wide);
  else if ((word & 0x0ff00000) === 0x03400000)
    registers.set(rd, low === undefined ? undefined : ((low & 0xffff) | (wide << 16)) >>> 0);
  else forget(registers, word);
}

/** Results are in the register of the operands' format, of multiplications in another. */
function forget(registers: Registers, word: number): void {
  if (isUpdated(word)) registers.set((word >>> 16) & 15, undefined);
  registers.set((word >>> 12) & 15, undefined);
  if ((word & 0x0f0000f0) === 0x00000090) registers.set((word >>> 16) & 15, undefined);
  if ((word & 0x0e100000) !== 0x08100000) return;
  for (const register of range(0, 15))
    if ((word & (1 << register)) !== 0) registers.set(register, undefined);
}

function rotated(word: number): number {
  const [value, by] = [word & 0xff, ((word >>> 8) & 15) * 2];
  return ((value >>> by) | (by === 0 ? 0 : value << (32 - by))) >>> 0;
}

/** `bx lr`, `mov pc, lr`, or a load of several registers with the program counter. */
function isReturn(word: number): boolean {
  return (
    (word & 0x0fffffff) === 0x012fff1e ||
    (word & 0x0fffffff) === 0x01a0f00e ||
    (word & 0x0e108000) === 0x08108000
  );
}

/** A branch to an earlier instruction. Its registers change with every round. */
function isLoop(word: number): boolean {
  return (word & 0x0f800000) === 0x0a800000;
}

/** Loads and stores that change the register of the address. */
function isUpdated(word: number): boolean {
  const isSingle = (word & 0x0c000000) === 0x04000000;
  const isHalf = (word & 0x0e000090) === 0x00000090 && (word & 0x60) !== 0;
  const isIndexed = (word & 0x01200000) === 0x01000000;
  return (
    ((isSingle || isHalf) && !isIndexed) || (word & 0x0e200000) === 0x08200000
  );
}

function isStoreOrBranch(word: number): boolean {
  const isStore = (word & 0x0c100000) === 0x04000000 || (word & 0x0e100000) === 0x08000000;
  const isHalfStore = (word & 0x0e100090) === 0x00000090 && (word & 0x60) !== 0;
  const isCompared = (word & 0x0d900000) === 0x01100000;
  return isStore || isHalfStore || isCompared || (word & 0x0f000000) === 0x0a000000;
}
