import type { Reader } from '../../reader.ts';

/**
 * Values as NanoCore serializes them: u8 type, then the value as .NET's `BinaryWriter` writes it.
 *
 * | type | value |
 * |---|---|
 * | 0 bool, 1 byte, 3 char (as one byte), 9 sbyte | 1 byte |
 * | 2 bytes, 4 chars | u32 length, bytes |
 * | 10 short, 15 ushort | 2 bytes |
 * | 7 int, 13 uint, 11 float | 4 bytes |
 * | 6 double, 8 long, 14 ulong, 19 size | 8 bytes |
 * | 16 time | 8 bytes: ticks of 100 ns since year 1, kind in the top two bits |
 * | 5 decimal, 18 GUID, 20 rectangle | 16 bytes |
 * | 12 string, 21 version | 7-bit encoded length, UTF-8 |
 * | 17 strings | u32 count, strings |
 *
 * Reference: https://github.com/nict-csl/NanoCoreRAT-Analysis.
 */
export interface Value {
  readonly type: 'string' | 'number' | 'bool' | 'time' | 'guid' | 'other';
  /** For display; empty for `other`. */
  readonly text: string;
}

const MAX_VALUES = 10_000;
const FIXED_SIZES: Readonly<Record<number, number>> = {
  ...{ 0: 1, 1: 1, 3: 1, 9: 1 },
  ...{ 10: 2, 15: 2 },
  ...{ 7: 4, 11: 4, 13: 4 },
  ...{ 6: 8, 8: 8, 14: 8, 16: 8, 19: 8 },
  ...{ 5: 16, 18: 16, 20: 16 },
};
const LENGTH_PREFIXED_TYPES = new Set([2, 4]);
const STRING_TYPES = new Set([12, 21]);
const LIST_TYPE = 17;
const MAX_LIST_LENGTH = 1_000;
const MAX_STRING_BYTES = 1024 * 1024;

/** Reads all values up to the end; `undefined` if one is invalid. */
export function readValues(reader: Reader, from: number): Value[] | undefined {
  const values: Value[] = [];
  let at = from;
  while (at < reader.length) {
    const size = sizeOf(reader, at);
    if (size === undefined || !reader.has(at + 1, size) || values.length === MAX_VALUES)
      return undefined;
    values.push(toValue(reader.u8(at) ?? 0, reader.upTo(at + 1, size)));
    at += 1 + size;
  }
  return values;
}

/** Size of the value without its type byte; `undefined` for an unknown type. */
function sizeOf(reader: Reader, at: number): number | undefined {
  const type = reader.u8(at) ?? 0;
  if (LENGTH_PREFIXED_TYPES.has(type)) return 4 + (reader.u32(at + 1) ?? 0);
  if (STRING_TYPES.has(type)) return stringSize(reader, at + 1);
  if (type !== LIST_TYPE) return FIXED_SIZES[type];
  const count = reader.u32(at + 1) ?? 0;
  if (count > MAX_LIST_LENGTH) return undefined;
  let size = 4;
  for (let index = 0; index < count; index += 1) {
    const next = stringSize(reader, at + 1 + size);
    if (next === undefined) return undefined;
    size += next;
  }
  return size;
}

/** Includes the length prefix, which has at most three bytes here. */
function stringSize(reader: Reader, at: number): number | undefined {
  let length = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = reader.u8(at + index);
    if (byte === undefined) return undefined;
    length |= (byte & 0x7f) << (7 * index);
    if (byte < 0x80) return length > MAX_STRING_BYTES ? undefined : index + 1 + length;
  }
  return undefined;
}

function toValue(type: number, bytes: Buffer): Value {
  switch (type) {
    case 0:
      return { type: 'bool', text: bytes[0] === 0 ? 'False' : 'True' };
    case 7:
      return { type: 'number', text: String(bytes.readInt32LE()) };
    case 13:
      return { type: 'number', text: String(bytes.readUInt32LE()) };
    case 15:
      return { type: 'number', text: String(bytes.readUInt16LE()) };
    case 16:
      return { type: 'time', text: timeOf(bytes.readBigUInt64LE()) };
    case 18:
      return { type: 'guid', text: guidOf(bytes) };
    case 12:
    case 21:
      return {
        type: 'string',
        text: bytes.subarray(bytes.findIndex((byte) => byte < 0x80) + 1).toString('utf8'),
      };
    default:
      return { type: 'other', text: '' };
  }
}

const TICKS_TO_1970 = 621_355_968_000_000_000n;
const TICKS_BITS = 0x3fff_ffff_ffff_ffffn;
/** `DateTime.MaxValue`. */
const MAX_TICKS = 3_155_378_975_999_999_999n;

function timeOf(written: bigint): string {
  const ticks = written & TICKS_BITS;
  if (ticks > MAX_TICKS) return '';
  return new Date(Number((ticks - TICKS_TO_1970) / 10_000n)).toISOString();
}

function guidOf(bytes: Buffer): string {
  const group = (from: number, to: number) => bytes.subarray(from, to).toString('hex');
  const reversed = (from: number, to: number) =>
    Buffer.from(bytes.subarray(from, to)).reverse().toString('hex');
  return [reversed(0, 4), reversed(4, 6), reversed(6, 8), group(8, 10), group(10, 16)].join('-');
}
