import type { Reader } from '../../reader.ts';

/**
 * Values as NanoCore writes them: u8 type, then the value in the form of .NET's `BinaryWriter`.
 *
 * | type | value |
 * |---|---|
 * | 0 bool, 1 byte, 3 char (as one byte), 9 sbyte | 1 byte |
 * | 2 bytes, 4 chars | u32 length, bytes |
 * | 10 short, 15 ushort | 2 bytes |
 * | 7 int, 13 uint, 11 float | 4 bytes |
 * | 6 double, 8 long, 14 ulong, 16 time (ticks of 100 ns since year 1, two bits of kind on top), 19 size | 8 bytes |
 * | 5 decimal, 18 GUID, 20 rectangle | 16 bytes |
 * | 12 text, 21 version | length in groups of seven bits, UTF-8 |
 * | 17 texts | u32 count, texts |
 *
 * Reference: https://github.com/nict-csl/NanoCoreRAT-Analysis.
 */
export interface Value {
  readonly type: 'string' | 'number' | 'bool' | 'time' | 'guid' | 'other';
  /** As it is shown; empty for `other`. */
  readonly text: string;
}

const MOST_VALUES = 10_000;
const FIXED: Readonly<Record<number, number>> = {
  ...{ 0: 1, 1: 1, 3: 1, 9: 1 },
  ...{ 10: 2, 15: 2 },
  ...{ 7: 4, 11: 4, 13: 4 },
  ...{ 6: 8, 8: 8, 14: 8, 16: 8, 19: 8 },
  ...{ 5: 16, 18: 16, 20: 16 },
};
const WITH_LENGTH = new Set([2, 4]);
const TEXTS = new Set([12, 21]);
const LIST = 17;
const MOST_IN_LIST = 1_000;
const LONGEST_TEXT = 1024 * 1024;

/** All of them up to the very end, or nothing. */
export function readValues(reader: Reader, from: number): Value[] | undefined {
  const values: Value[] = [];
  let at = from;
  while (at < reader.length) {
    const size = sizeOf(reader, at);
    if (size === undefined || !reader.has(at + 1, size) || values.length === MOST_VALUES)
      return undefined;
    values.push(toValue(reader.u8(at) ?? 0, reader.upTo(at + 1, size)));
    at += 1 + size;
  }
  return values;
}

/** Of the value without its type; nothing for types that there are not. */
function sizeOf(reader: Reader, at: number): number | undefined {
  const type = reader.u8(at) ?? 0;
  if (WITH_LENGTH.has(type)) return 4 + (reader.u32(at + 1) ?? 0);
  if (TEXTS.has(type)) return textSize(reader, at + 1);
  if (type !== LIST) return FIXED[type];
  const count = reader.u32(at + 1) ?? 0;
  if (count > MOST_IN_LIST) return undefined;
  let size = 4;
  for (let index = 0; index < count; index += 1) {
    const next = textSize(reader, at + 1 + size);
    if (next === undefined) return undefined;
    size += next;
  }
  return size;
}

/** With the length itself, which has three bytes at most here. */
function textSize(reader: Reader, at: number): number | undefined {
  let length = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = reader.u8(at + index);
    if (byte === undefined) return undefined;
    length |= (byte & 0x7f) << (7 * index);
    if (byte < 0x80) return length > LONGEST_TEXT ? undefined : index + 1 + length;
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
/** The end of the year 9999, where .NET's calendar ends. */
const LAST_TICKS = 3_155_378_975_999_999_999n;

function timeOf(written: bigint): string {
  const ticks = written & TICKS_BITS;
  if (ticks > LAST_TICKS) return '';
  return new Date(Number((ticks - TICKS_TO_1970) / 10_000n)).toISOString();
}

function guidOf(bytes: Buffer): string {
  const group = (from: number, to: number) => bytes.subarray(from, to).toString('hex');
  const turned = (from: number, to: number) =>
    Buffer.from(bytes.subarray(from, to)).reverse().toString('hex');
  return [turned(0, 4), turned(4, 6), turned(6, 8), group(8, 10), group(10, 16)].join('-');
}
