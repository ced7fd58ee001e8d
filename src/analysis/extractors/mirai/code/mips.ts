import type { Copy, Memory } from './memory.ts';
import { type Arguments, instructions, Registers, range, signed16 } from './registers.ts';

/**
 * Calls in MIPS code, 32 bits: addresses are two halves (`lui`, `addiu`), or a page from the global
 * offset table and a half. The instruction after a call is executed before it.
 */
const ARGUMENTS: Arguments = [5, 6];
/** A call keeps $s0 to $s7 ($16 to $23) and $fp. */
const OVERWRITTEN = [...range(1, 15), 24, 25, 31];
const GP = 28;

export function copiesOnMips(memory: Memory): readonly Copy[] {
  const registers = new Registers(memory);
  for (const range of memory.code) {
    registers.clear();
    let delayed: 'call' | 'return' | undefined;
    for (const [word, at] of instructions(memory, range)) {
      registers.set(0, 0);
      const next = jumpOf(word);
      if (next === undefined) step(memory, registers, word);
      if (delayed === 'call') registers.call(at, ARGUMENTS, OVERWRITTEN);
      if (delayed === 'return') registers.clear();
      delayed = next;
    }
  }
  return registers.copies;
}

const JAL = 3;
const JALR = 9;
const JR_RA = 0x03e00008;
const BAL = 0x04110000;

function jumpOf(word: number): 'call' | 'return' | undefined {
  if (word === JR_RA || isLoop(word)) return 'return';
  const isIndirect = word >>> 26 === 0 && (word & 63) === JALR;
  const isCall = word >>> 26 === JAL || isIndirect || (word & 0xffff0000) === BAL;
  return isCall ? 'call' : undefined;
}

/** A branch to an earlier instruction. Its registers change with every round. */
function isLoop(word: number): boolean {
  const operation = word >>> 26;
  const isBranch = (operation >= 4 && operation <= 7) || (operation >= 20 && operation <= 23);
  const isOther = operation === 1 && (word & 0x00100000) === 0;
  return (isBranch || isOther) && (word & 0x8000) !== 0;
}

function step(memory: Memory, registers: Registers, word: number): void {
  const [rs, rt] = [(word >>> 21) & 31, (word >>> 16) & 31];
  const [half, immediate] = [word & 0xffff, signed16(word)];
  const base = rs === GP ? (registers.get(GP) ?? memory.globalPointer) : registers.get(rs);
  switch (word >>> 26) {
    case 0:
      return combine(registers, word);
    case 8:
    case 9: // addi, addiu
      return registers.sum32(rt, base, immediate);
    case 13: // ori
      return registers.set(rt, base === undefined ? undefined : (base | half) >>> 0);
    case 15: // lui
      return registers.set(rt, (half << 16) >>> 0);
    case 35: // lw
      return registers.set(
        rt,
        rs === GP && base !== undefined && rt !== GP
          ? memory.word((base + immediate) >>> 0)
          : undefined,
      );
    default:
      // Branches and stores have no result.
      if (isResultInRt(word >>> 26)) registers.set(rt, undefined);
  }
}

function isResultInRt(operation: number): boolean {
  return (operation >= 8 && operation <= 15) || (operation >= 32 && operation <= 38);
}

/** `addu` and `or` copy a register if the other operand is $0. */
function combine(registers: Registers, word: number): void {
  const [rs, rt, rd] = [(word >>> 21) & 31, (word >>> 16) & 31, (word >>> 11) & 31];
  const isSum = (word & 63) === 0x21 || ((word & 63) === 0x25 && (rs === 0 || rt === 0));
  if (isSum) registers.sum32(rd, registers.get(rs), registers.get(rt));
  else registers.set(rd, undefined);
}
