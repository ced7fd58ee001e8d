import {
  ABSENT,
  ALLOWED,
  type ArgumentCheck,
  CHECKED,
  FATAL,
  NEWEST_CALL,
  type SystemCalls,
} from './system-calls.ts';

/**
 * Compiles the tables of system calls to a program that the kernel runs before every call of a
 * worker (seccomp(2), classic BPF). It is a list of `struct sock_filter` in the byte order of the
 * machine, which is little-endian on both architectures:
 *
 *   code u16 | jt u8 | jf u8 | k u32    jt, jf: instructions to skip if a comparison holds, or not
 *
 * It reads the call from `struct seccomp_data`:
 *
 *   0 number u32 | 4 architecture u32 | 8 instruction pointer u64 | 16 six arguments u64
 *
 * and returns an action. Kernels from 5.11 know which numbers are always allowed, and do not run it
 * for those.
 */
type Instruction = readonly [code: number, k: number, jt?: number, jf?: number];

const INSTRUCTION_BYTES = 8;

const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_GREATER = 0x25;
const RETURN = 0x06;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;
const ARGUMENT_BYTES = 8;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const FAIL = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;

/** Numbers of the x32 interface have this bit, with the architecture of x64. */
const X32_BIT = 0x4000_0000;

/** `AUDIT_ARCH_…` of the kernel, and the column of the tables. */
const ARCHITECTURES = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
} as const;

export type FilterArchitecture = keyof typeof ARCHITECTURES;

/** The program for that architecture of Node, or `undefined` if there are no tables for it. */
export function seccompFilter(architecture: string): Buffer | undefined {
  return isKnown(architecture) ? assemble(filterOf(architecture)) : undefined;
}

function isKnown(architecture: string): architecture is FilterArchitecture {
  return Object.hasOwn(ARCHITECTURES, architecture);
}

function filterOf(architecture: FilterArchitecture): readonly Instruction[] {
  const { audit, column } = ARCHITECTURES[architecture];
  const numbersOf = (calls: SystemCalls) =>
    Object.values(calls).flatMap((numbers) => numbers[column] ?? []);
  return [
    [LOAD, ARCHITECTURE_AT],
    [JUMP_IF_EQUAL, audit, 1, 0],
    // A number means another call in the tables of another architecture.
    [RETURN, KILL_PROCESS],
    [LOAD, NUMBER_AT],
    ...numbersOf(ALLOWED).flatMap((number) => returnIfEqual(number, ALLOW)),
    ...CHECKED.flatMap(({ numbers, allowedIf }) => checked(numbers[column], allowedIf)),
    ...numbersOf(ABSENT).flatMap((number) => returnIfEqual(number, FAIL | ENOSYS)),
    ...numbersOf(FATAL).flatMap((number) => returnIfEqual(number, KILL_PROCESS)),
    [JUMP_IF_GREATER, X32_BIT - 1, 0, 1],
    [RETURN, KILL_PROCESS],
    [JUMP_IF_GREATER, NEWEST_CALL, 0, 1],
    [RETURN, FAIL | ENOSYS],
    [RETURN, FAIL | EPERM],
  ];
}

/** A jump skips at most 255 instructions, so each comparison has its own action. */
function returnIfEqual(value: number, action: number): readonly Instruction[] {
  return [
    [JUMP_IF_EQUAL, value, 0, 1],
    [RETURN, action],
  ];
}

function checked(
  number: number | undefined,
  checks: readonly ArgumentCheck[],
): readonly Instruction[] {
  if (number === undefined) return [];
  const body: readonly Instruction[] = [
    ...checks.flatMap(({ argument, mask, equals }): readonly Instruction[] => [
      [LOAD, ARGUMENTS_AT + argument * ARGUMENT_BYTES],
      [AND, mask],
      ...returnIfEqual(equals, ALLOW),
    ]),
    [RETURN, FAIL | EPERM],
  ];
  return [[JUMP_IF_EQUAL, number, 0, body.length], ...body];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, [code, k, jt = 0, jf = 0]] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jt, at + 2);
    bytes.writeUInt8(jf, at + 3);
    bytes.writeUInt32LE(k >>> 0, at + 4);
  }
  return bytes;
}
