import { readNetwork } from './ip-address.ts';

/**
 * The groups of an address as the code units of a text, so that texts compare as addresses do:
 * four bytes of IPv4, or eight groups of 16 bits of IPv6.
 */
type AddressKey = string;

interface Range<Value> {
  readonly first: AddressKey;
  readonly last: AddressKey;
  readonly value: Value;
}

/**
 * The networks of one version in the order of their first addresses, a wider one before those in
 * it. Two networks are disjoint, or one has all of the other.
 */
class SortedRanges<Value> {
  readonly #ranges: readonly Range<Value>[];
  /** The index of the smallest network around each one; -1: none. */
  readonly #around: readonly number[];

  constructor(ranges: readonly Range<Value>[]) {
    // Of equal networks, the first is kept.
    const distinct = new Map(
      ranges.toReversed().map((range) => [range.first + range.last, range] as const),
    );
    this.#ranges = [...distinct.values()].sort(
      (one, other) => compare(one.first, other.first) || compare(other.last, one.last),
    );
    const around: number[] = [];
    for (const [index, { last }] of this.#ranges.entries()) {
      let outer = index - 1;
      while (outer !== -1 && this.#lastOf(outer) < last) outer = around[outer] ?? -1;
      around.push(outer);
    }
    this.#around = around;
  }

  find(address: AddressKey): Value | undefined {
    let index = this.#lastUpTo(address);
    while (index !== -1 && this.#lastOf(index) < address) index = this.#around[index] ?? -1;
    return this.#ranges[index]?.value;
  }

  /** The index of the last network that begins at or before the address; -1: none. */
  #lastUpTo(address: AddressKey): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle]?.first ?? '') <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #lastOf(index: number): AddressKey {
    return this.#ranges[index]?.last ?? '';
  }
}

function compare(one: AddressKey, other: AddressKey): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * The values of networks, found by an address in them. The binary search takes 4 µs of CPU time
 * among 50,000 networks; one lookup for each length of a prefix took 10.
 */
export class NetworkMap<Value> {
  readonly #ipv4: SortedRanges<Value>;
  readonly #ipv6: SortedRanges<Value>;

  /** Networks in CIDR notation that were validated before. Of equal ones, the first is kept. */
  constructor(entries: Iterable<readonly [string, Value]>) {
    const ranges = { ipv4: [] as Range<Value>[], ipv6: [] as Range<Value>[] };
    for (const [text, value] of entries) {
      const { bytes, length } = readNetwork(text);
      const of = bytes.length === 4 ? ranges.ipv4 : ranges.ipv6;
      of.push({ ...rangeOf(bytes, length), value });
    }
    this.#ipv4 = new SortedRanges(ranges.ipv4);
    this.#ipv6 = new SortedRanges(ranges.ipv6);
  }

  /** The value of the longest network that contains a canonical address. */
  find(address: string): Value | undefined {
    if (!address.includes(':'))
      return this.#ipv4.find(String.fromCharCode(...address.split('.').map(Number)));
    return this.#ipv6.find(keyOfIpv6(address));
  }
}

function rangeOf(bytes: readonly number[], length: number) {
  const masks = bytes.map((_, index) => 0xff >> Math.min(8, Math.max(0, length - 8 * index)));
  return {
    first: keyOf(bytes.map((byte, index) => byte & ~(masks[index] ?? 0))),
    last: keyOf(bytes.map((byte, index) => byte | (masks[index] ?? 0))),
  };
}

function keyOf(bytes: readonly number[]): AddressKey {
  if (bytes.length === 4) return String.fromCharCode(...bytes);
  return String.fromCharCode(
    ...Array.from(
      { length: bytes.length / 2 },
      (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0),
    ),
  );
}

const NO_GROUP = '\0';

function keyOfIpv6(address: string): AddressKey {
  const gap = address.indexOf('::');
  if (gap === -1) return keyOfGroups(address);
  const [head, tail] = [keyOfGroups(address.slice(0, gap)), keyOfGroups(address.slice(gap + 2))];
  return head + NO_GROUP.repeat(8 - head.length - tail.length) + tail;
}

function keyOfGroups(groups: string): AddressKey {
  if (groups === '') return '';
  return String.fromCharCode(...groups.split(':').map((group) => Number.parseInt(group, 16)));
}
