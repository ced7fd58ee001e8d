import { bitsOf, bitsOfCanonical, readNetwork } from '../ip-address.ts';
import { isAddress } from '../reports/host-names.ts';
import { EXACT, type ListEntry } from './list-entry.ts';
import { isProtection, type KnownAs } from './list-kind.ts';

/** What lists know of a report. */
interface ReportSubjects {
  readonly c2: { readonly host: string };
  readonly sha256: string;
}

/** The positions of lists, in ascending order. Entries with the same lists share an array. */
type ListPositions = readonly number[];

const NONE: readonly KnownAs[] = [];
const ADDRESS_BITS = { 4: 32, 6: 128 } as const;

/**
 * All lists of an installation, in memory. Finding the lists of a host takes a few lookups,
 * however many entries there are: with 1,000,000 names it takes 6 to 9 µs on a busy machine.
 */
export class KnownLists {
  readonly #lists: KnownAs[] = [];
  readonly #names = new EntryMap();
  readonly #exact = new EntryMap();
  readonly #files = new EntryMap();
  /** By the bits of the prefix; the shorter ones are not prefixes of the keys of the others. */
  readonly #networks = { 4: new EntryMap(), 6: new EntryMap() };
  readonly #lengths = { 4: new Set<number>(), 6: new Set<number>() };
  /** The names above those of `good` lists. */
  readonly #parents = new EntryMap();

  /** Adds a list. The returned position is the one for `addEntries`. */
  addList(list: KnownAs): number {
    return this.#lists.push({ list: list.list, kind: list.kind }) - 1;
  }

  /** Adds some entries of a list. Many are added in slices, to keep the event loop free. */
  addEntries(position: number, entries: Iterable<ListEntry>): void {
    const isGood = this.#lists[position]?.kind === 'good';
    for (const entry of entries) {
      this.#add(position, entry);
      if (!isGood || isNetwork(entry) || isFile(entry)) continue;
      const name = entry.startsWith(EXACT) ? entry.slice(EXACT.length) : entry;
      this.#addParents(name, position);
    }
  }

  #addParents(name: string, position: number): void {
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const parent = name.slice(dot + 1);
      // Those above it were added with it.
      if (this.#parents.get(parent) !== undefined) return;
      this.#parents.add(parent, position);
    }
  }

  #add(position: number, entry: ListEntry): void {
    if (isNetwork(entry)) this.#addNetwork(position, entry);
    else if (isFile(entry)) this.#files.add(entry, position);
    else if (entry.startsWith(EXACT)) this.#exact.add(entry.slice(EXACT.length), position);
    else this.#names.add(entry, position);
  }

  #addNetwork(position: number, entry: ListEntry): void {
    const { bytes, length } = readNetwork(entry);
    const version = bytes.length === 4 ? 4 : 6;
    this.#lengths[version].add(length);
    this.#networks[version].add(bitsOf(bytes).slice(0, length), position);
  }

  /** The lists that have the host, in its canonical form. */
  ofHost(host: string): readonly KnownAs[] {
    return this.#labels(isAddress(host) ? this.#ofAddress(host) : this.#ofName(host));
  }

  /** The lists that have the host or the file of a report. */
  ofReport({ c2, sha256 }: ReportSubjects): readonly KnownAs[] {
    const [ofHost, ofFile] = [this.ofHost(c2.host), this.ofFile(sha256)];
    return ofFile.length === 0 ? ofHost : [...new Set([...ofHost, ...ofFile])];
  }

  ofFile(sha256: string): readonly KnownAs[] {
    const found = this.#files.get(sha256);
    return found === undefined ? NONE : this.#labels([found]);
  }

  /** Why the host is no indicator, if a list says so. */
  protectionOfHost(host: string): KnownAs | undefined {
    return this.ofHost(host).find(isProtection);
  }

  protectionOfFile(sha256: string): KnownAs | undefined {
    return this.ofFile(sha256).find(isProtection);
  }

  /** Why all names below the host must not be blocked, if one of them is in a `good` list. */
  goodBelow(host: string): KnownAs | undefined {
    const [position] = this.#parents.get(host) ?? [];
    return position === undefined ? undefined : this.#lists[position];
  }

  #ofName(host: string): readonly ListPositions[] {
    const found: ListPositions[] = [];
    const exact = this.#exact.get(host);
    if (exact !== undefined) found.push(exact);
    for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
      const positions = this.#names.get(name);
      if (positions !== undefined) found.push(positions);
      if (!name.includes('.')) return found;
    }
  }

  #ofAddress(host: string): readonly ListPositions[] {
    const version = host.includes(':') ? 6 : 4;
    if (this.#lengths[version].size === 0) return [];
    const bits = bitsOfCanonical(host);
    if (bits.length !== ADDRESS_BITS[version]) return [];
    const found: ListPositions[] = [];
    for (const length of this.#lengths[version]) {
      const positions = this.#networks[version].get(bits.slice(0, length));
      if (positions !== undefined) found.push(positions);
    }
    return found;
  }

  #labels(found: readonly ListPositions[]): readonly KnownAs[] {
    if (found.length === 0) return NONE;
    const [first = []] = found;
    if (found.length === 1) return first.flatMap((position) => this.#lists[position] ?? []);
    const positions = new Set(found.flat());
    return this.#lists.filter((_, position) => positions.has(position));
  }
}

function isNetwork(entry: ListEntry): boolean {
  return entry.includes('/');
}

function isFile(entry: ListEntry): boolean {
  return entry.length === 64 && !entry.includes('.') && !entry.startsWith(EXACT);
}

/**
 * One map of a million entries would be copied at once when it grows, which takes some 50 ms. A
 * growing shard takes less than 1 ms.
 */
const SHARDS = 128;

class EntryMap {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, ListPositions>());
  /** Arrays that entries share, by their text; those of one list by its position. */
  readonly #shared = new Map<string | number, ListPositions>();

  get(key: string): ListPositions | undefined {
    return this.#shards[shardOf(key)]?.get(key);
  }

  add(key: string, position: number): void {
    const shard = this.#shards[shardOf(key)];
    const known = shard?.get(key);
    if (known === undefined) shard?.set(key, this.#share(position, [position]));
    else if (!known.includes(position)) {
      const positions = [...known, position];
      shard?.set(key, this.#share(positions.join(), positions));
    }
  }

  #share(key: string | number, positions: ListPositions): ListPositions {
    const shared = this.#shared.get(key);
    if (shared === undefined) this.#shared.set(key, positions);
    return shared ?? positions;
  }
}

/** By a few characters: V8 computes the hash of the whole text once more. */
function shardOf(key: string): number {
  const { length } = key;
  const step = (length >> 3) + 1;
  let hash = length;
  for (let index = 0; index < length; index += step) hash = (hash * 31 + key.charCodeAt(index)) | 0;
  return hash & (SHARDS - 1);
}
