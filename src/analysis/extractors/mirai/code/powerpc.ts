import type { Copy, Memory } from './memory.ts';
import { type Arguments, instructions, Registers, range, signed16 } from './registers.ts';

/**
 * Calls in PowerPC code, 32 bits: addresses are two halves (`lis`, `addi`), or words of a table
 * relative to the program counter (`bcl 20,31` and `mflr`).
 */
const ARGUMENTS: Arguments = [4, 5];
/** A call keeps r14 to r31. */
const OVERWRITTEN = [0, ...range(3, 12)];
/** The link register. */
const LR = 32;

export function copiesOnPowerPc(memory: Memory): readonly Copy[] {
  const registers = new Registers(memory);
  for (const range of memory.code) {
    registers.clear();
    for (const [word, at] of instructions(memory, range)) step(memory, registers, word, at);
  }
  return registers.copies;
}

const BLR = 0x4e800020;
const BCTRL = 0x4e800421;
const BLRL = 0x4e800021;
/** `bcl 20,31,$+4` only stores the address of the next instruction. */
const GET_PC = 0x429f0005;
const MFLR = 0x7c0802a6;

function step(memory: Memory, registers: Registers, word: number, at: number): void {
  const [rd, ra] = [(word >>> 21) & 31, (word >>> 16) & 31];
  if (word === GET_PC) return registers.set(LR, at + 4);
  if ((word & 0xfc000003) === 0x48000001 || word === BCTRL || word === BLRL)
    return registers.call(at, ARGUMENTS, [...OVERWRITTEN, LR]);
  if (word === BLR || isLoop(word)) return registers.clear();
  const base = ra === 0 ? 0 : registers.get(ra);
  switch (word >>> 26) {
    case 14: // addi
      return registers.sum32(rd, base, signed16(word));
    case 15: // addis
      return registers.sum32(rd, base, (word & 0xffff) << 16);
    case 24: {
      // ori
      const value = registers.get(rd);
      return registers.set(ra, value === undefined ? undefined : (value | (word & 0xffff)) >>> 0);
    }
    case 31:
      return extended(registers, word);
    case 32: // lwz
      return registers.set(rd, base === undefined ? base : memory.word((base + signed16(word)) >>> 0));
    default:
      forget(registers, word);
  }
}

/** A branch to an earlier instruction. Its registers change with every round. */
function isLoop(word: number): boolean {
  const isJump = (word & 0xfc000001) === 0x48000000 && (word & 0x02000000) !== 0;
  return isJump || ((word & 0xfc000001) === 0x40000000 && (word & 0x8000) !== 0);
}

/** Instructions with operation code 31: `mflr`, and `or` of a register with itself. */
function extended(registers: Registers, word: number): void {
  const [rs, ra, rb] = [(word >>> 21) & 31, (word >>> 16) & 31, (word >>> 11) & 31];
  const operation = (word >>> 1) & 0x3ff;
  if ((word & 0xfc1fffff) === MFLR) return registers.set(rs, registers.get(LR));
  if (operation === 444 && rs === rb) return registers.set(ra, registers.get(rs));
  if (operation === 266) return registers.sum32(rs, registers.get(ra), registers.get(rb));
  // The result is in one of them, which depends on the instruction.
  registers.set(rs, undefined);
  registers.set(ra, undefined);
}

function forget(registers: Registers, word: number): void {
  const operation = word >>> 26;
  const [rd, ra] = [(word >>> 21) & 31, (word >>> 16) & 31];
  const isLogical = operation >= 20 && operation <= 29;
  const isResultInRd = (operation >= 7 && operation <= 13) || (operation >= 32 && operation <= 43);
  const isStore = operation >= 36 && operation <= 39;
  const isUpdate = operation >= 33 && operation <= 45 && operation % 2 === 1;
  if (isLogical || isUpdate) registers.set(ra, undefined);
  if (isResultInRd && !isStore) registers.set(rd, undefined);
}
