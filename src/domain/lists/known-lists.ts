import { NetworkMap } from '../network-map.ts';
import { parentsOf } from '../reports/host-names.ts';
import { isAddress } from '../search-query.ts';
import { EXACT, type ListEntry } from './list-entry.ts';
import { isProtection, type KnownAs } from './list-kind.ts';

/** What lists know of a report. */
interface ReportSubjects {
  readonly c2: { readonly host: string };
  readonly sha256: string;
}

/** The positions of lists, in ascending order. */
type ListPositions = readonly number[];

interface EntryMap {
  get(key: string): ListPositions | undefined;
  set(key: string, positions: ListPositions): unknown;
}

const NONE: readonly KnownAs[] = [];

/**
 * All lists of an installation, in memory. Finding the lists of a host takes a few lookups,
 * however many entries there are: 3 µs with 1,000,000 names.
 */
export class KnownLists {
  readonly #lists: KnownAs[] = [];
  readonly #names = new Map<string, ListPositions>();
  readonly #exact = new Map<string, ListPositions>();
  readonly #files = new Map<string, ListPositions>();
  readonly #networks = new NetworkMap<ListPositions>();
  /** The names above those of `good` lists, with the position of one of these lists. */
  readonly #parents = new Map<string, number>();

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
    for (const parent of parentsOf(name)) {
      // Those above it were added with it.
      if (this.#parents.has(parent)) return;
      this.#parents.set(parent, position);
    }
  }

  #add(position: number, entry: ListEntry): void {
    if (isNetwork(entry)) addTo(this.#networks, entry, position);
    else if (isFile(entry)) addTo(this.#files, entry, position);
    else if (entry.startsWith(EXACT)) addTo(this.#exact, entry.slice(EXACT.length), position);
    else addTo(this.#names, entry, position);
  }

  /** The lists that have the host, in its canonical form. */
  ofHost(host: string): readonly KnownAs[] {
    return this.#labels(isAddress(host) ? this.#networks.findAll(host) : this.#ofName(host));
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
    const position = this.#parents.get(host);
    return position === undefined ? undefined : this.#lists[position];
  }

  #ofName(host: string): readonly ListPositions[] {
    const found = [this.#exact.get(host), this.#names.get(host)];
    for (const parent of parentsOf(host)) found.push(this.#names.get(parent));
    return found.filter((positions) => positions !== undefined);
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

function addTo(entries: EntryMap, key: string, position: number): void {
  const known = entries.get(key) ?? [];
  if (!known.includes(position)) entries.set(key, [...known, position]);
}
