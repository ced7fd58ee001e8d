import type { Network } from './ip-address.ts';

/**
 * The addresses of a network in an index of their canonical texts. A network of whole groups is
 * one range of texts; another one is several, or a range that has other addresses too, which the
 * caller removes.
 */
export interface TextRange {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

/** Follows every character of an address. */
const AFTER = 'g';

/** Together they have every address of the network, each at most once. */
export function networkRanges({ bytes, length }: Network): readonly TextRange[] {
  return bytes.length === 4 ? quadRanges(bytes, length) : groupRanges(bytes, length);
}

function startingWith(prefix: string): TextRange {
  return { from: prefix, to: `${prefix}${AFTER}` };
}

function quadRanges(bytes: readonly number[], length: number): readonly TextRange[] {
  const whole = Math.min(3, Math.floor(length / 8));
  const start = bytes
    .slice(0, whole)
    .map((byte) => `${byte}.`)
    .join('');
  const bits = length - 8 * whole;
  // The last octet is compared by the caller: a range of 256 addresses is short.
  if (whole === 3 || (bits === 0 && whole > 0)) return [startingWith(start)];
  const count = 2 ** (8 - bits);
  const first = Math.floor((bytes[whole] ?? 0) / count) * count;
  return octets(start, first, count);
}

/** More values of an octet than this are not read one by one. */
const MAX_VALUES = 32;

/**
 * Texts of the same length have the order of their numbers. A longer range has a few others, and
 * one from 0 on has all of them.
 */
function octets(start: string, first: number, count: number): readonly TextRange[] {
  if (count <= MAX_VALUES)
    return Array.from({ length: count }, (_, index) => startingWith(`${start}${first + index}.`));
  const between = (low: number, high: number) => ({
    from: `${start}${low}`,
    to: `${start}${high}${AFTER}`,
  });
  const last = first + count - 1;
  if (first === 0) return [between(0, 9)];
  return first < 100 ? [between(first, 99), between(100, last)] : [between(first, last)];
}

/**
 * `::` replaces the longest run of zero groups. So addresses of one network have different texts if
 * its prefix has zero groups that may be a part of that run.
 */
function groupRanges(bytes: readonly number[], length: number): readonly TextRange[] {
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0),
  );
  const whole = Math.floor(length / 16);
  const prefix = groups.slice(0, whole);
  const ranges = [literalRange(prefix, groups[whole] ?? 0, length - 16 * whole)];
  for (let start = 0; start < whole; start += 1) {
    if (prefix[start] !== 0 || prefix[start - 1] === 0) continue;
    const after = prefix.findIndex((group, index) => index > start && group !== 0);
    if (after === start + 1) continue;
    const head = prefix.slice(0, start).map(hexOf).join(':');
    const tail = after === -1 ? '' : textOf(prefix.slice(after));
    ranges.push(startingWith(`${head}::${tail}`));
  }
  return ranges;
}

/** The addresses in whose text the groups of the prefix are written out. */
function literalRange(prefix: readonly number[], next: number, bits: number): TextRange {
  const start = textOf(prefix);
  const mask = 0xffff >> bits;
  const low = next & ~mask;
  // Greater than zero, the lowest and the highest value have the same number of digits.
  if (bits === 0 || low === 0) return startingWith(start);
  return { from: `${start}${hexOf(low)}`, to: `${start}${hexOf(low | mask)}${AFTER}` };
}

function textOf(groups: readonly number[]): string {
  return groups.map((group) => `${hexOf(group)}:`).join('');
}

function hexOf(group: number): string {
  return group.toString(16);
}
