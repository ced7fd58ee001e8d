import { Reader } from '../../reader.ts';

/**
 * Instructions of the Common Intermediate Language (ECMA-335, III) and method bodies (II.25.4).
 *
 * | body | header |
 * |---|---|
 * | tiny | u8: 2 in the low two bits, code size in the rest |
 * | fat | u16: 3 in the low two bits, flags, header size in words in the top four |
 * | | u16 maximum stack, u32 code size, u32 token of the locals |
 *
 * Short forms are decoded as the long form: `ldc.i4.s 5` and `ldc.i4.5` are both `ldc.i4` with the
 * operand 5.
 */
export interface Instruction {
  /** In the file. */
  readonly offset: number;
  /** The first byte, or 0xfe00 plus the second byte. */
  readonly opcode: number;
  readonly name: string;
  /**
   * A number, a token, the index of a local or an argument, the distance of a branch, or the target
   * count of a switch. 64-bit numbers beyond 2^53 are rounded.
   */
  readonly operand: number | undefined;
}

export interface MethodBody {
  /** The file offset of the first instruction. */
  readonly offset: number;
  readonly code: Buffer;
}

type Kind = 'none' | 'i8' | 'u8' | 'u16' | 'i32' | 'i64' | 'r32' | 'r64' | 'token' | 'switch';

interface Opcode {
  readonly name: string;
  readonly kind: Kind;
  /** The operand of a short form. */
  readonly implied?: number;
}

const SIZE: Readonly<Record<Kind, number>> = {
  none: 0,
  i8: 1,
  u8: 1,
  u16: 2,
  i32: 4,
  i64: 8,
  r32: 4,
  r64: 8,
  token: 4,
  switch: 4,
};

/**
 * First opcode of a run, their operand kind, their names. `name=3` implies 3, `-` is unassigned.
 */
const RUNS: readonly (readonly [first: number, kind: Kind, names: string])[] = [
  [0x00, 'none', 'nop break ldarg=0 ldarg=1 ldarg=2 ldarg=3 ldloc=0 ldloc=1 ldloc=2 ldloc=3'],
  [0x0a, 'none', 'stloc=0 stloc=1 stloc=2 stloc=3'],
  [0x0e, 'u8', 'ldarg ldarga starg ldloc ldloca stloc'],
  [0x14, 'none', 'ldnull ldc.i4=-1 ldc.i4=0 ldc.i4=1 ldc.i4=2 ldc.i4=3 ldc.i4=4 ldc.i4=5'],
  [0x1c, 'none', 'ldc.i4=6 ldc.i4=7 ldc.i4=8'],
  [0x1f, 'i8', 'ldc.i4'],
  [0x20, 'i32', 'ldc.i4'],
  [0x21, 'i64', 'ldc.i8'],
  [0x22, 'r32', 'ldc.r4'],
  [0x23, 'r64', 'ldc.r8'],
  [0x25, 'none', 'dup pop'],
  [0x27, 'token', 'jmp call calli'],
  [0x2a, 'none', 'ret'],
  [0x2b, 'i8', 'br brfalse brtrue beq bge bgt ble blt bne.un bge.un bgt.un ble.un blt.un'],
  [0x38, 'i32', 'br brfalse brtrue beq bge bgt ble blt bne.un bge.un bgt.un ble.un blt.un'],
  [0x45, 'switch', 'switch'],
  [0x46, 'none', 'ldind.i1 ldind.u1 ldind.i2 ldind.u2 ldind.i4 ldind.u4 ldind.i8 ldind.i'],
  [0x4e, 'none', 'ldind.r4 ldind.r8 ldind.ref stind.ref stind.i1 stind.i2 stind.i4 stind.i8'],
  [0x56, 'none', 'stind.r4 stind.r8 add sub mul div div.un rem rem.un and or xor shl shr shr.un'],
  [0x65, 'none', 'neg not conv.i1 conv.i2 conv.i4 conv.i8 conv.r4 conv.r8 conv.u4 conv.u8'],
  [0x6f, 'token', 'callvirt cpobj ldobj ldstr newobj castclass isinst'],
  [0x76, 'none', 'conv.r.un'],
  [0x79, 'token', 'unbox'],
  [0x7a, 'none', 'throw'],
  [0x7b, 'token', 'ldfld ldflda stfld ldsfld ldsflda stsfld stobj'],
  [0x82, 'none', 'conv.ovf.i1.un conv.ovf.i2.un conv.ovf.i4.un conv.ovf.i8.un conv.ovf.u1.un'],
  [0x87, 'none', 'conv.ovf.u2.un conv.ovf.u4.un conv.ovf.u8.un conv.ovf.i.un conv.ovf.u.un'],
  [0x8c, 'token', 'box newarr'],
  [0x8e, 'none', 'ldlen'],
  [0x8f, 'token', 'ldelema'],
  [0x90, 'none', 'ldelem.i1 ldelem.u1 ldelem.i2 ldelem.u2 ldelem.i4 ldelem.u4 ldelem.i8 ldelem.i'],
  [0x98, 'none', 'ldelem.r4 ldelem.r8 ldelem.ref stelem.i stelem.i1 stelem.i2 stelem.i4 stelem.i8'],
  [0xa0, 'none', 'stelem.r4 stelem.r8 stelem.ref'],
  [0xa3, 'token', 'ldelem stelem unbox.any'],
  [0xb3, 'none', 'conv.ovf.i1 conv.ovf.u1 conv.ovf.i2 conv.ovf.u2 conv.ovf.i4 conv.ovf.u4'],
  [0xb9, 'none', 'conv.ovf.i8 conv.ovf.u8'],
  [0xc2, 'token', 'refanyval'],
  [0xc3, 'none', 'ckfinite'],
  [0xc6, 'token', 'mkrefany'],
  [0xd0, 'token', 'ldtoken'],
  [0xd1, 'none', 'conv.u2 conv.u1 conv.i conv.ovf.i conv.ovf.u add.ovf add.ovf.un mul.ovf'],
  [0xd9, 'none', 'mul.ovf.un sub.ovf sub.ovf.un endfinally'],
  [0xdd, 'i32', 'leave'],
  [0xde, 'i8', 'leave'],
  [0xdf, 'none', 'stind.i conv.u'],
  [0xfe00, 'none', 'arglist ceq cgt cgt.un clt clt.un'],
  [0xfe06, 'token', 'ldftn ldvirtftn'],
  [0xfe09, 'u16', 'ldarg ldarga starg ldloc ldloca stloc'],
  [0xfe0f, 'none', 'localloc - endfilter'],
  [0xfe12, 'u8', 'unaligned.'],
  [0xfe13, 'none', 'volatile. tail.'],
  [0xfe15, 'token', 'initobj constrained.'],
  [0xfe17, 'none', 'cpblk initblk'],
  [0xfe19, 'u8', 'no.'],
  [0xfe1a, 'none', 'rethrow'],
  [0xfe1c, 'token', 'sizeof'],
  [0xfe1d, 'none', 'refanytype readonly.'],
];

const OPCODES: ReadonlyMap<number, Opcode> = new Map(
  RUNS.flatMap(([first, kind, names]) =>
    names.split(' ').flatMap((entry, index): [number, Opcode][] => {
      const [name = '', implied] = entry.split('=');
      if (name === '-') return [];
      const opcode = implied === undefined ? { name, kind } : { name, kind, implied: +implied };
      return [[first + index, opcode]];
    }),
  ),
);

/** Reads the header of a body; `undefined` if header or code exceed the file. */
export function readBody(reader: Reader, offset: number): MethodBody | undefined {
  const first = reader.u8(offset) ?? 0;
  if ((first & 3) === 2) return bodyAt(reader, offset + 1, first >> 2);
  const flags = reader.u16(offset) ?? 0;
  if ((flags & 3) !== 3) return undefined;
  return bodyAt(reader, offset + (flags >> 12) * 4, reader.u32(offset + 4) ?? 0);
}

function bodyAt(reader: Reader, offset: number, size: number): MethodBody | undefined {
  const code = reader.slice(offset, size);
  return code === undefined ? undefined : { offset, code };
}

/** Stops at the end or at the first invalid opcode: its operand size is unknown. */
export function* decodeIl(body: MethodBody): Generator<Instruction> {
  const reader = new Reader(body.code);
  let at = 0;
  while (at < body.code.length) {
    const prefixed = body.code[at] === 0xfe;
    const opcode = prefixed ? 0xfe00 + (reader.u8(at + 1) ?? 0xff) : (body.code[at] ?? 0);
    const known = OPCODES.get(opcode);
    if (known === undefined) return;
    const operandAt = at + (prefixed ? 2 : 1);
    const end = operandAt + SIZE[known.kind] + targetBytes(reader, known.kind, operandAt);
    if (end > body.code.length) return;
    const operand = known.implied ?? readOperand(body.code, known.kind, operandAt);
    yield { offset: body.offset + at, opcode, name: known.name, operand };
    at = end;
  }
}

const SHORT_LEAVE = 0xde;
const LONG_LEAVE = 0xdd;

/** The offset that a branch jumps to; `undefined` for other instructions and for a switch. */
export function branchTarget({ opcode, offset, operand }: Instruction): number | undefined {
  if (operand === undefined) return undefined;
  if ((opcode >= 0x2b && opcode <= 0x37) || opcode === SHORT_LEAVE) return offset + 2 + operand;
  if ((opcode >= 0x38 && opcode <= 0x44) || opcode === LONG_LEAVE) return offset + 5 + operand;
  return undefined;
}

/** The jump table of a switch: four bytes for each target, up to 2^32 targets. */
function targetBytes(reader: Reader, kind: Kind, at: number): number {
  return kind === 'switch' ? (reader.u32(at) ?? 0) * 4 : 0;
}

function readOperand(code: Buffer, kind: Kind, at: number): number | undefined {
  switch (kind) {
    case 'none':
      return undefined;
    case 'i8':
      return code.readInt8(at);
    case 'u8':
      return code[at];
    case 'u16':
      return code.readUInt16LE(at);
    case 'i32':
      return code.readInt32LE(at);
    case 'i64':
      return Number(code.readBigInt64LE(at));
    case 'r32':
      return code.readFloatLE(at);
    case 'r64':
      return code.readDoubleLE(at);
    default:
      return code.readUInt32LE(at);
  }
}
