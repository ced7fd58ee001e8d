import { unXor } from '../../codecs/xor-search.ts';
import { type BeaconSettings, beaconSettingsAt } from './settings.ts';

/**
 * Since 4.8 a Cobalt Strike beacon may be restricted to one machine. The settings are then
 * encrypted with a key derived from that machine; the conditions after them name its inputs:
 *
 * | part | bytes | encoding |
 * |---|---|---|
 * | settings | 6144 | XOR with the repeated key and with the usual byte |
 * | conditions | 2048 | XOR with 8A and with the encrypted settings in reverse order |
 *
 * Conditions have the form of settings: 5 user, 6 computer, 7 domain, 8 IP address, and at last 9,
 * a checksum of the settings. Unused space after the settings is zero, so it holds the repeated
 * key.
 *
 * References: https://www.cobaltstrike.com/blog/cobalt-strike-4-8-system-call-me-maybe,
 * https://dissect-cobaltstrike.readthedocs.io/
 */
export interface Guardrails {
  /** Offset of the conditions. */
  readonly offset: number;
  readonly conditions: readonly string[];
  /** `undefined` if there is no unused space after them. */
  readonly settings: BeaconSettings | undefined;
}

const SETTINGS_BYTES = 6144;
const CONDITIONS_BYTES = 2048;
const MASK = 0x8a;
const CHECKSUM = 9;
const CONDITION_NAMES: Readonly<Record<number, string>> = {
  5: 'user',
  6: 'computer',
  7: 'domain',
  8: 'address',
};
const ADDRESS = 8;
/** Type and length of the first condition. */
const SHORT_ENTRY = 0x0001_0002;
const INT_ENTRY = 0x0002_0004;

/** Beacons have some hundred kilobytes. Larger files are not searched. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ATTEMPTS = 64;

/** The first complete conditions. */
export function findGuardrails(bytes: Buffer): Guardrails | undefined {
  if (bytes.length > MAX_FILE_BYTES || isText(bytes)) return undefined;
  let at = nextStart(bytes, SETTINGS_BYTES);
  for (let attempts = 0; at !== -1 && attempts < MAX_ATTEMPTS; attempts += 1) {
    const conditions = conditionsAt(bytes, at);
    if (conditions !== undefined) {
      const encrypted = bytes.subarray(at - SETTINGS_BYTES, at);
      return { offset: at, conditions, settings: decryptSettings(encrypted) };
    }
    at = nextStart(bytes, at + 1);
  }
  return undefined;
}

/** Checks the first bytes. Texts are common and never hold a beacon. */
function isText(bytes: Buffer): boolean {
  return bytes.subarray(0, 64).every((byte) => byte > 0 && byte < 0x80);
}

/** The hot loop. The first byte of the first condition is zero: the high byte of its number. */
function nextStart(bytes: Buffer, from: number): number {
  const last = bytes.length - CONDITIONS_BYTES;
  let before = bytes[from - 1] as number;
  for (let at = from; at <= last; at += 1) {
    const byte = bytes[at] as number;
    if ((byte ^ before) === MASK && isStart(bytes, at)) return at;
    before = byte;
  }
  return -1;
}

function isStart(bytes: Buffer, at: number): boolean {
  const number = (bytes[at + 1] as number) ^ (bytes[at - 2] as number) ^ MASK;
  if (CONDITION_NAMES[number] === undefined) return false;
  const form = unmasked(bytes, at, 6).readUInt32BE(2);
  return form === (number === ADDRESS ? INT_ENTRY : SHORT_ENTRY);
}

function unmasked(bytes: Buffer, at: number, length: number): Buffer {
  const plain = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1)
    plain[index] = (bytes[at + index] as number) ^ (bytes[at - 1 - index] as number) ^ MASK;
  return plain;
}

/** The names of the conditions; `undefined` if there are others or the checksum is not the last. */
function conditionsAt(bytes: Buffer, at: number): string[] | undefined {
  const conditions = beaconSettingsAt(unmasked(bytes, at, CONDITIONS_BYTES), 0, 0);
  const numbers = [...(conditions?.keys() ?? [])];
  if (numbers.pop() !== CHECKSUM || conditions?.get(CHECKSUM)?.value.length !== 4) return undefined;
  const names = numbers.flatMap((number) => CONDITION_NAMES[number] ?? []);
  return names.length === numbers.length ? names : undefined;
}

const MAX_KEY_BYTES = 256;
const UNUSED_BYTES = 2 * MAX_KEY_BYTES;

/** Recovers the key from the unused space. */
function decryptSettings(encrypted: Buffer): BeaconSettings | undefined {
  const unused = encrypted.subarray(-UNUSED_BYTES);
  for (let length = 1; length <= MAX_KEY_BYTES; length += 1) {
    if (!unused.subarray(length).equals(unused.subarray(0, -length))) continue;
    const plain = unXor(encrypted, 0);
    const start = encrypted.length - length;
    for (let at = 0; at < plain.length; at += 1) {
      // The offset in the unused space that was encrypted with the same byte of the key.
      const same = start + ((((at - start) % length) + length) % length);
      plain[at] = (encrypted[at] as number) ^ (encrypted[same] as number);
    }
    return beaconSettingsAt(plain, 0, 0);
  }
  return undefined;
}
