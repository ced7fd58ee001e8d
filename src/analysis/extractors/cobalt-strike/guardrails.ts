import { unXor } from '../../codecs/xor-search.ts';
import { type BeaconSettings, beaconSettingsAt } from './settings.ts';

/**
 * Since 4.8 a Cobalt Strike beacon may be meant for one machine only. Its settings are then sealed with a value of that
 * machine, and behind them stands what the value is made of:
 *
 *   settings, 6144 bytes      XORed with the value, again and again, and with the usual byte
 *   conditions, 2048 bytes    XORed with 8A and with the sealed settings, read from their end backwards
 *
 * Conditions have the form of settings: 5 user, 6 computer, 7 domain, 8 address of the machine, and at last 9, a
 * checksum of the settings. The room behind the settings is zeros, so the value itself stands there, again and again.
 *
 * References: https://www.cobaltstrike.com/blog/cobalt-strike-4-8-system-call-me-maybe,
 * https://dissect-cobaltstrike.readthedocs.io/
 */
export interface Guardrails {
  /** Where the conditions stand. */
  readonly offset: number;
  readonly conditions: readonly string[];
  /** Absent where the room behind them is not left blank. */
  readonly settings: BeaconSettings | undefined;
}

const SEALED_BYTES = 6144;
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

/** Beacons have some hundred kilobytes; what is much larger gets no pass of its own. */
const MOST_BYTES = 1024 * 1024;
const MOST_TRIES = 64;

/** The first conditions that are whole. */
export function findGuardrails(bytes: Buffer): Guardrails | undefined {
  if (bytes.length > MOST_BYTES || isText(bytes)) return undefined;
  let at = nextStart(bytes, SEALED_BYTES);
  for (let tries = 0; at !== -1 && tries < MOST_TRIES; tries += 1) {
    const conditions = conditionsAt(bytes, at);
    if (conditions !== undefined) {
      const sealed = bytes.subarray(at - SEALED_BYTES, at);
      return { offset: at, conditions, settings: unsealed(sealed) };
    }
    at = nextStart(bytes, at + 1);
  }
  return undefined;
}

/** By how it begins: of these there may be many. */
function isText(bytes: Buffer): boolean {
  return bytes.subarray(0, 64).every((byte) => byte > 0 && byte < 0x80);
}

/** The hot loop: the first byte of a number, and so that of the first condition, is zero. */
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
  for (let place = 0; place < length; place += 1)
    plain[place] = (bytes[at + place] as number) ^ (bytes[at - 1 - place] as number) ^ MASK;
  return plain;
}

/** What they ask for, if nothing else is among them and the checksum ends them. */
function conditionsAt(bytes: Buffer, at: number): string[] | undefined {
  const conditions = beaconSettingsAt(unmasked(bytes, at, CONDITIONS_BYTES), 0, 0);
  const numbers = [...(conditions?.keys() ?? [])];
  if (numbers.pop() !== CHECKSUM || conditions?.get(CHECKSUM)?.value.length !== 4) return undefined;
  const names = numbers.flatMap((number) => CONDITION_NAMES[number] ?? []);
  return names.length === numbers.length ? names : undefined;
}

/** Longer values of a machine are not known. */
const LONGEST_VALUE = 256;
const BLANK_BYTES = 2 * LONGEST_VALUE;

function unsealed(sealed: Buffer): BeaconSettings | undefined {
  const blank = sealed.subarray(-BLANK_BYTES);
  for (let length = 1; length <= LONGEST_VALUE; length += 1) {
    if (!blank.subarray(length).equals(blank.subarray(0, -length))) continue;
    const plain = unXor(sealed, 0);
    const start = sealed.length - length;
    for (let at = 0; at < plain.length; at += 1) {
      // The place in the room behind the settings where the same byte of the value was used.
      const same = start + ((((at - start) % length) + length) % length);
      plain[at] = (sealed[at] as number) ^ (sealed[same] as number);
    }
    return beaconSettingsAt(plain, 0, 0);
  }
  return undefined;
}
