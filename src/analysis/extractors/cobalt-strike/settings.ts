import { unXor } from '../../codecs/xor-search.ts';
import { Reader } from '../../reader.ts';
import { valueLength } from './long-values.ts';

/**
 * Settings of a Cobalt Strike beacon: a sequence of entries, big-endian, under one XOR key.
 *
 *   number u16 | type u16: 1 short, 2 int, 3 bytes | length u16: 2, 4, any | value
 *
 * The number 0 ends the list. The block has 4096 bytes, in newer versions 6144. Some values may be
 * longer than their length says (`long-values.ts`).
 *
 * Reference: https://blog.didierstevens.com/programs/cobalt-strike-tools/
 */
export interface BeaconSetting {
  readonly type: number;
  readonly value: Buffer;
}

export type BeaconSettings = ReadonlyMap<number, BeaconSetting>;

const BLOCK_BYTES = 6144;
const ENTRY_BYTES = 6;
const MAX_NUMBER = 255;
const FIXED_LENGTHS: Readonly<Record<number, number>> = { 1: 2, 2: 4 };
const BYTES = 3;
const MAX_VALUE_BYTES = 4096;

/** `undefined` if an entry is invalid or the end is missing. */
export function beaconSettingsAt(
  bytes: Buffer,
  offset: number,
  key: number,
): BeaconSettings | undefined {
  const reader = new Reader(unXor(bytes.subarray(offset, offset + BLOCK_BYTES), key));
  const settings = new Map<number, BeaconSetting>();
  let at = 0;
  while (reader.u16(at, true) !== 0) {
    const number = reader.u16(at, true);
    const type = reader.u16(at + 2, true);
    const nominal = reader.u16(at + 4, true);
    if (number === undefined || number > MAX_NUMBER || settings.has(number)) return undefined;
    if (type === undefined || nominal === undefined || !isValidLength(type, nominal))
      return undefined;
    const start = at + ENTRY_BYTES;
    const length = type === BYTES ? valueLength(reader, number, start, nominal) : nominal;
    const value = reader.slice(start, length);
    if (value === undefined) return undefined;
    settings.set(number, { type, value });
    at = start + length;
  }
  return settings;
}

function isValidLength(type: number, length: number): boolean {
  return type === BYTES ? length <= MAX_VALUE_BYTES : FIXED_LENGTHS[type] === length;
}

export function settingNumber(settings: BeaconSettings, number: number): number | undefined {
  const setting = settings.get(number);
  if (setting === undefined || setting.type === BYTES) return undefined;
  return setting.value.readUIntBE(0, setting.value.length);
}

/** The whole value, including padding: a text ends at the first zero byte. */
export function settingBytes(settings: BeaconSettings, number: number): Buffer | undefined {
  const setting = settings.get(number);
  return setting?.type === BYTES ? setting.value : undefined;
}
