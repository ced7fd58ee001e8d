import { type CodeRange, type Copy, MAX_COPIES, type Memory } from './memory.ts';

/**
 * Calls in x86 code, found by the bytes of the instructions that pass a text and its length:
 *
 * | x86-64 | bytes |
 * |---|---|
 * | `lea rsi, [rip + distance]` | 48 8d 35 d32 |
 * | `lea rax, [rip + distance]`, `mov rsi, rax` | 48 8d 05 d32, 48 89 c6 |
 * | `mov esi, address`, `mov rsi, address` | be a32, 48 c7 c6 a32 |
 * | `mov edx, length`; `push length`, `pop rdx` | ba n32; 6a n8, 5a |
 * | `mov edi, number`; `push number`, `pop rdi` | bf n32; 6a n8, 5f |
 *
 * | i386 | bytes |
 * |---|---|
 * | `push length`, `push address` | 6a n8 or 68 n32, 68 a32 |
 * | `mov [esp + 4], address`, `mov [esp + 8], length` | c7 44 24 04 a32, c7 44 24 08 n32 |
 * | `mov edx, address`, `mov ecx, length` (functions of one source file) | ba a32, b9 n32 |
 * | `push number`; `mov [esp], number`; `mov eax, number` | 6a n8; c7 04 24 n32; b8 n32 |
 * | `lea eax, [ebx + distance to the global offset table]`, also edx | 8d 83 d32, 8d 93 d32 |
 *
 * Only a few instructions are between text and call.
 */
const MAX_SPAN = 32;
const MAX_LENGTH = 1024;
const LONGEST_PATTERN = 10;

export function copiesOnX86(memory: Memory, bits: 32 | 64): readonly Copy[] {
  return memory.code.flatMap((code) => copiesInRange(memory, code, bits));
}

function copiesInRange(memory: Memory, code: CodeRange, bits: 32 | 64): Copy[] {
  const copies: Copy[] = [];
  const end = code.offset + code.size - LONGEST_PATTERN;
  let lastCall = code.offset;
  let calls = 0;
  for (let at = code.offset; at < end && copies.length < MAX_COPIES; at += 1) {
    if (isCall(memory, code, at)) {
      lastCall = at + 5;
      calls += 1;
    }
    const found = copyAt(memory, code, { at, lastCall, bits });
    if (found !== undefined) copies.push({ ...found, call: calls });
  }
  return copies;
}

interface Position {
  readonly at: number;
  /** Offset after the last call. */
  readonly lastCall: number;
  readonly bits: 32 | 64;
}

function copyAt(
  memory: Memory,
  code: CodeRange,
  { at, lastCall, bits }: Position,
): Omit<Copy, 'call'> | undefined {
  const passed = bits === 64 ? addressOn64(memory, code, at) : addressOn32(memory, at);
  const offset = passed && memory.offsetOf(passed.address);
  if (passed === undefined || offset === undefined) return undefined;
  const call = callAfter(memory, code, passed.end);
  if (call === undefined) return undefined;
  const lengthIn = bits === 64 ? lengthOn64 : lengthOn32;
  const before = memory.bytes.subarray(Math.max(lastCall, at - MAX_SPAN), at);
  const after = memory.bytes.subarray(passed.end, call);
  const length = lengthIn(before) ?? lengthIn(after);
  const id = bits === 64 ? (idOn64(before) ?? idOn64(after)) : idOn32(before, after);
  return { at: at - code.offset + code.address, offset, length, id };
}

interface Passed {
  readonly address: number;
  /** Offset after the instructions. */
  readonly end: number;
}

function addressOn64(memory: Memory, code: CodeRange, at: number): Passed | undefined {
  const { bytes } = memory;
  if (bytes[at] === 0xbe) return { address: bytes.readUInt32LE(at + 1), end: at + 5 };
  if (bytes[at] !== 0x48) return undefined;
  if (bytes[at + 1] === 0xc7 && bytes[at + 2] === 0xc6)
    return { address: bytes.readUInt32LE(at + 3), end: at + 7 };
  if (bytes[at + 1] !== 0x8d) return undefined;
  const address = at - code.offset + code.address + 7 + bytes.readInt32LE(at + 3);
  if (bytes[at + 2] === 0x35) return { address, end: at + 7 };
  const isMoved = bytes[at + 2] === 0x05 && bytes.readUIntBE(at + 7, 3) === 0x4889c6;
  return isMoved ? { address, end: at + 10 } : undefined;
}

function addressOn32({ bytes, gotAddress }: Memory, at: number): Passed | undefined {
  const first = bytes[at];
  if (first === 0x68 || first === 0xba) return { address: bytes.readUInt32LE(at + 1), end: at + 5 };
  if (first === 0xc7 && bytes.readUInt32BE(at) === 0xc7442404)
    return { address: bytes.readUInt32LE(at + 4), end: at + 8 };
  const isRelative = first === 0x8d && (bytes[at + 1] === 0x83 || bytes[at + 1] === 0x93);
  if (!isRelative || gotAddress === undefined) return undefined;
  return { address: (gotAddress + bytes.readInt32LE(at + 2)) >>> 0, end: at + 6 };
}

/** The last length in these instructions. */
function lengthOn64(bytes: Buffer): number | undefined {
  for (let at = bytes.length - 3; at >= 0; at -= 1) {
    if (bytes[at] === 0xba && at + 5 <= bytes.length) return plausible(bytes.readUInt32LE(at + 1));
    if (bytes[at] === 0x6a && bytes[at + 2] === 0x5a) return bytes[at + 1];
  }
  return undefined;
}

function lengthOn32(bytes: Buffer): number | undefined {
  for (let at = bytes.length - 2; at >= 0; at -= 1) {
    const hasWord = at + 5 <= bytes.length;
    if (hasWord && (bytes[at] === 0xb9 || bytes[at] === 0x68))
      return plausible(bytes.readUInt32LE(at + 1));
    if (at + 8 <= bytes.length && bytes.readUInt32BE(at) === 0xc7442408)
      return plausible(bytes.readUInt32LE(at + 4));
    if (bytes[at] === 0x6a) return bytes[at + 1];
  }
  return undefined;
}

/** The number of the entry, in the first argument. */
function idOn64(bytes: Buffer): number | undefined {
  for (let at = bytes.length - 3; at >= 0; at -= 1) {
    if (bytes[at] === 0xbf && at + 5 <= bytes.length) return plausible(bytes.readUInt32LE(at + 1));
    if (bytes[at] === 0x6a && bytes[at + 2] === 0x5f) return bytes[at + 1];
  }
  return undefined;
}

/** It is pushed last, or in a register. */
function idOn32(before: Buffer, after: Buffer): number | undefined {
  const push = after.lastIndexOf(0x6a);
  if (push !== -1 && push + 2 <= after.length) return after[push + 1];
  for (const bytes of [after, before]) {
    const stored = bytes.indexOf(Buffer.from('c70424', 'hex'));
    if (stored !== -1 && stored + 7 <= bytes.length)
      return plausible(bytes.readUInt32LE(stored + 3));
    const moved = bytes.lastIndexOf(0xb8);
    if (moved !== -1 && moved + 5 <= bytes.length) return plausible(bytes.readUInt32LE(moved + 1));
  }
  return undefined;
}

function plausible(length: number): number | undefined {
  return length <= MAX_LENGTH ? length : undefined;
}

/** `call` of another function of the code. */
function isCall({ bytes }: Memory, { offset, size }: CodeRange, at: number): boolean {
  if (bytes[at] !== 0xe8) return false;
  const target = at + 5 + bytes.readInt32LE(at + 1);
  if (target < offset || target + 4 > offset + size) return false;
  // A function that returns its return address loads it from the stack (8b xx 24 c3).
  return (bytes.readUInt32BE(target) & 0xff00ffff) >>> 0 !== 0x8b0024c3;
}

function callAfter(memory: Memory, code: CodeRange, from: number): number | undefined {
  const end = Math.min(from + MAX_SPAN, code.offset + code.size - LONGEST_PATTERN);
  for (let at = from; at < end; at += 1) {
    const isIndirect = memory.bytes[at] === 0xff && ((memory.bytes[at + 1] ?? 0) & 0x38) === 0x10;
    if (isIndirect || isCall(memory, code, at)) return at;
  }
  return undefined;
}
