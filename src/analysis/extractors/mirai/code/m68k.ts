import { type CodeRange, type Copy, MAX_COPIES, type Memory } from './memory.ts';

/**
 * Calls in m68k code, found by the instructions that push length and text ("M68000 Family
 * Programmer's Reference Manual"):
 *
 * | instruction | words |
 * |---|---|
 * | `pea address` | 4879 a32; 487a d16, relative to the second word |
 * | `move.l #address, -(sp)` | 2f3c a32 |
 * | `pea length`, `pea number` | 4878 n16 |
 */
const PEA = 0x4879;
const PEA_RELATIVE = 0x487a;
const PUSH = 0x2f3c;
const PEA_SHORT = 0x4878;
/** `jsr` with an absolute or a relative address, `bsr` with a distance of 16 or 32 bits. */
const CALLS: ReadonlySet<number> = new Set([0x4eb9, 0x4eba, 0x6100, 0x61ff]);
const JSR_REGISTER = 0x4e90;

export function copiesOnM68k(memory: Memory): readonly Copy[] {
  return memory.code.flatMap((code) => copiesInRange(memory, code));
}

function copiesInRange(memory: Memory, { address, offset, size }: CodeRange): Copy[] {
  const { bytes } = memory;
  const copies: Copy[] = [];
  let calls = 0;
  for (let at = offset + 4; at + 6 <= offset + size && copies.length < MAX_COPIES; at += 2) {
    if (isCall(bytes.readUInt16BE(at))) calls += 1;
    const pushed = pushedAt(bytes, at, at - offset + address);
    const text = pushed === undefined ? undefined : memory.offsetOf(pushed);
    if (text === undefined) continue;
    const hasLength = bytes.readUInt16BE(at - 4) === PEA_SHORT;
    const length = hasLength ? bytes.readUInt16BE(at - 2) : undefined;
    const id = numberAfter(bytes, at);
    copies.push({ at: at - offset + address, offset: text, length, id, call: calls });
  }
  return copies;
}

/** The number of the entry is pushed after the text. */
function numberAfter(bytes: Buffer, at: number): number | undefined {
  const next = at + (bytes.readUInt16BE(at) === PEA_RELATIVE ? 4 : 6);
  if (next + 4 > bytes.length || bytes.readUInt16BE(next) !== PEA_SHORT) return undefined;
  return bytes.readUInt16BE(next + 2);
}

function isCall(operation: number): boolean {
  return CALLS.has(operation) || (operation & 0xfff8) === JSR_REGISTER;
}

function pushedAt(bytes: Buffer, at: number, address: number): number | undefined {
  const operation = bytes.readUInt16BE(at);
  if (operation === PEA || operation === PUSH) return bytes.readUInt32BE(at + 2);
  if (operation === PEA_RELATIVE) return address + 2 + bytes.readInt16BE(at + 2);
  return undefined;
}
