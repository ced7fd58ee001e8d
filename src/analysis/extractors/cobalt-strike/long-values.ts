import type { Reader } from '../../reader.ts';

/**
 * A malleable profile may have values that exceed the nominal size of their setting: the user agent
 * (9) and the requests for GET (12) and POST (13). Cobalt Strike then keeps the nominal size as the
 * length and writes the whole value without padding, so the next entry follows the last byte.
 *
 * - A user agent is text, and the first byte of an entry is zero: the high byte of its number.
 * - A request is a sequence of steps, each a number (u32, big-endian) and its arguments: a text
 *   after its length (u32), or for step 7 a number. Step 0 ends it. The first four bytes of an
 *   entry are far larger than the number of a step.
 *
 * References: https://dissect-cobaltstrike.readthedocs.io/,
 * https://blog.didierstevens.com/programs/cobalt-strike-tools/
 */
const USER_AGENT = 9;
const REQUESTS: readonly number[] = [12, 13];

const BUILD = 7;
/** How many texts follow a step; none after the others. */
const TEXTS: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  5: 1,
  6: 1,
  9: 1,
  10: 1,
  14: 2,
  16: 1,
};
const LAST_STEP = 16;
const FIRST_ENTRY = 0x0001_0000;

/** The length of a value that starts at `at`, at least `nominal`. */
export function valueLength(reader: Reader, number: number, at: number, nominal: number): number {
  if (number === USER_AGENT) return Math.max(nominal, textLength(reader, at));
  if (REQUESTS.includes(number)) return Math.max(nominal, requestLength(reader, at));
  return nominal;
}

/** 0 if other bytes than text come before the first zero. */
function textLength(reader: Reader, at: number): number {
  let end = at;
  for (let byte = reader.u8(end); byte !== 0; byte = reader.u8(end)) {
    if (byte === undefined || byte < 0x20 || byte > 0x7e) return 0;
    end += 1;
  }
  return end - at;
}

/** 0 if the steps are invalid. */
function requestLength(reader: Reader, at: number): number {
  let end = at;
  for (;;) {
    const step = reader.u32(end, true);
    if (step === undefined) return 0;
    if (step >= FIRST_ENTRY) return end - at;
    end += 4;
    if (step === 0) return end - at;
    if (step > LAST_STEP) return 0;
    if (step === BUILD) end += 4;
    for (let text = 0; text < (TEXTS[step] ?? 0); text += 1)
      end += 4 + (reader.u32(end, true) ?? Number.POSITIVE_INFINITY);
  }
}
