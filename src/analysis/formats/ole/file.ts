import { Reader } from '../../reader.ts';
import { SectorChains, tableOf } from './sectors.ts';

/**
 * Compound files (OLE2), a small file system of storages and streams. [MS-CFB] 2.2 to 2.6.
 *
 * | offset | bytes | header                                                        |
 * |--------|-------|---------------------------------------------------------------|
 * | 0x00   | 8     | D0 CF 11 E0 A1 B1 1A E1                                       |
 * | 0x1A   | 2     | major version, 3 or 4                                         |
 * | 0x1E   | 2     | log2 of the sector size, 9 or 12                              |
 * | 0x30   | 4     | first sector of the directory                                 |
 * | 0x38   | 4     | streams below this size are in the mini stream                |
 * | 0x3C   | 4     | first sector of the mini stream's table                       |
 * | 0x44   | 4     | first sector of the list of further table sectors             |
 * | 0x4C   | 436   | the first 109 sectors of the table                            |
 *
 * | offset | bytes | directory entry, 128 bytes                    |
 * |--------|-------|-----------------------------------------------|
 * | 0x00   | 64    | name, UTF-16LE                                |
 * | 0x40   | 2     | bytes of the name with its zero               |
 * | 0x42   | 1     | 1 storage, 2 stream, 5 root                   |
 * | 0x44   | 12    | left sibling, right sibling, first child      |
 * | 0x50   | 16    | CLSID                                         |
 * | 0x74   | 4     | first sector                                  |
 * | 0x78   | 8     | size                                          |
 *
 * The tables and the directory are linked lists, which a hostile file may turn into cycles. A chain
 * ends where it revisits a sector, an entry is visited once, and the total number of bytes read is
 * limited to a multiple of the file's size.
 */
export interface CompoundEntry {
  readonly name: string;
  /** The names of the enclosing storages and its own, joined by slashes. */
  readonly path: string;
  readonly kind: 'root' | 'storage' | 'stream';
  /** In the usual notation, lower case; empty if all zero. */
  readonly clsid: string;
  readonly sizeBytes: number;
  /** The offset of its first byte in the file; absent for streams in the mini stream. */
  readonly offset: number | undefined;
}

interface RawEntry extends Omit<CompoundEntry, 'path' | 'offset' | 'kind'> {
  /** Absent for unused entries. */
  readonly kind: CompoundEntry['kind'] | undefined;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
}

const MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const MAX_ENTRIES = 8192;
const MAX_STORAGE_DEPTH = 32;
const ENTRY_BYTES = 128;
const SMALL_SECTOR_BYTES = 64;
const HEADER_TABLE_SECTORS = 109;
const END_OF_CHAIN = 0xfffffffe;
const KINDS: Readonly<Record<number, CompoundEntry['kind']>> = {
  1: 'storage',
  2: 'stream',
  5: 'root',
};

export function isCompoundFile(bytes: Buffer): boolean {
  return bytes.subarray(0, MAGIC.length).equals(MAGIC);
}

export class CompoundFile {
  readonly entries: readonly CompoundEntry[];
  /** What could not be read as stated, for users. */
  readonly truncated = new Set<string>();
  readonly #chains: SectorChains;
  readonly #small: SectorChains;
  readonly #smallBelow: number;
  readonly #starts = new Map<CompoundEntry, number>();
  readonly #contents = new Map<CompoundEntry, Buffer>();
  #bytesLeft: number;

  constructor(header: Header, chains: SectorChains) {
    const { reader } = header;
    this.#chains = chains;
    this.#smallBelow = header.smallBelow;
    // Once for each sector, and once more for those of the mini stream.
    this.#bytesLeft = reader.length * 2;
    const raw = readDirectory(
      reader,
      chains.read(header.directory, MAX_ENTRIES * ENTRY_BYTES).bytes,
    );
    if (raw.length >= MAX_ENTRIES) this.truncated.add(`more than ${MAX_ENTRIES} directory entries`);
    this.#small = this.#openSmall(header, raw[0]);
    this.entries = this.#list(raw);
  }

  /** The whole stream, or the part that can be reached. */
  read(entry: CompoundEntry): Buffer {
    const known = this.#contents.get(entry);
    if (known !== undefined) return known;
    const start = this.#starts.get(entry);
    if (start === undefined || entry.kind !== 'stream') return Buffer.alloc(0);
    const size = Math.min(entry.sizeBytes, this.#bytesLeft);
    const chains = entry.sizeBytes < this.#smallBelow ? this.#small : this.#chains;
    const { bytes, whole } = chains.read(start, size);
    if (!whole || size < entry.sizeBytes) {
      this.truncated.add('a stream is shorter than its entry says');
    }
    this.#bytesLeft -= bytes.length;
    this.#contents.set(entry, bytes);
    return bytes;
  }

  /** The first stream of that name in any storage, ignoring case. */
  find(name: string): CompoundEntry | undefined {
    const wanted = name.toLowerCase();
    return this.entries.find(
      (entry) => entry.kind === 'stream' && entry.name.toLowerCase() === wanted,
    );
  }

  #openSmall({ reader, smallTable }: Header, root: RawEntry | undefined): SectorChains {
    const maxBytes = reader.length;
    const content =
      root?.kind === 'root'
        ? this.#chains.read(root.start, Math.min(root.sizeBytes, maxBytes)).bytes
        : Buffer.alloc(0);
    const tableBytes = Math.ceil(content.length / SMALL_SECTOR_BYTES) * 4;
    const table = tableOf(this.#chains.read(smallTable, tableBytes).bytes);
    return new SectorChains({ bytes: content, base: 0, size: SMALL_SECTOR_BYTES }, table);
  }

  /** Walks the tree. Entries outside of any storage come last; some readers show them too. */
  #list(raw: readonly RawEntry[]): readonly CompoundEntry[] {
    const entries: CompoundEntry[] = [];
    const seen = new Uint8Array(raw.length);
    const pending = [{ id: 0, folder: '', depth: 0 }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { id, folder, depth } = next;
      const one = raw[id];
      if (one?.kind === undefined || seen[id] === 1) continue;
      seen[id] = 1;
      const path = one.kind === 'root' ? '' : `${folder}${one.name}`;
      entries.push(this.#entry(one, one.kind, path));
      pending.push({ id: one.right, folder, depth }, { id: one.left, folder, depth });
      const inside = path === '' ? '' : `${path}/`;
      if (depth < MAX_STORAGE_DEPTH)
        pending.push({ id: one.child, folder: inside, depth: depth + 1 });
      else this.truncated.add(`storages deeper than ${MAX_STORAGE_DEPTH}`);
    }
    for (const [id, one] of raw.entries()) {
      if (seen[id] === 0 && one.kind === 'stream')
        entries.push(this.#entry(one, 'stream', one.name));
    }
    return entries;
  }

  #entry(raw: RawEntry, kind: CompoundEntry['kind'], path: string): CompoundEntry {
    const { name, clsid, sizeBytes, start } = raw;
    const inFile = kind === 'stream' && sizeBytes >= this.#smallBelow;
    const offset = inFile ? this.#chains.offsetOf(start) : undefined;
    const entry = { name, path, kind, clsid, sizeBytes, offset };
    this.#starts.set(entry, start);
    return entry;
  }
}

interface Header {
  readonly reader: Reader;
  readonly sectorBytes: number;
  readonly directory: number;
  readonly smallBelow: number;
  readonly smallTable: number;
  readonly moreTables: number;
}

export function parseCompoundFile(bytes: Buffer): CompoundFile | undefined {
  const header = readHeader(new Reader(bytes));
  if (header === undefined) return undefined;
  const space = { bytes, base: header.sectorBytes, size: header.sectorBytes };
  const file = new CompoundFile(header, new SectorChains(space, readTable(header)));
  return file.entries[0]?.kind === 'root' ? file : undefined;
}

function readHeader(reader: Reader): Header | undefined {
  if (!isCompoundFile(reader.bytes) || !reader.has(0, 512)) return undefined;
  const shift = reader.u16(0x1e);
  if (shift !== 9 && shift !== 12) return undefined;
  return {
    reader,
    sectorBytes: 1 << shift,
    directory: reader.u32(0x30) ?? END_OF_CHAIN,
    smallBelow: reader.u32(0x38) ?? 0,
    smallTable: reader.u32(0x3c) ?? END_OF_CHAIN,
    moreTables: reader.u32(0x44) ?? END_OF_CHAIN,
  };
}

/** The table has one entry per sector of the file; more is not read. */
function readTable(header: Header): Uint32Array {
  const { reader, sectorBytes } = header;
  const sectors = Math.ceil(reader.length / sectorBytes);
  const maxSectors = Math.ceil((sectors * 4) / sectorBytes);
  const parts = tableSectors(header, maxSectors).map((sector) =>
    reader.upTo((sector + 1) * sectorBytes, sectorBytes),
  );
  return tableOf(Buffer.concat(parts)).subarray(0, sectors);
}

function tableSectors({ reader, sectorBytes, moreTables }: Header, maxSectors: number): number[] {
  const sectors: number[] = [];
  for (let index = 0; index < HEADER_TABLE_SECTORS; index += 1) {
    sectors.push(reader.u32(0x4c + index * 4) ?? END_OF_CHAIN);
  }
  // The last entry of each further sector points to the next. Each adds many entries, so a cycle
  // ends soon.
  for (let sector = moreTables; sector < END_OF_CHAIN - 3 && sectors.length < maxSectors; ) {
    const list = tableOf(reader.upTo((sector + 1) * sectorBytes, sectorBytes));
    sectors.push(...list.subarray(0, -1));
    if (list.length === 0) break;
    sector = list.at(-1) ?? END_OF_CHAIN;
  }
  return sectors.slice(0, maxSectors).filter((sector) => sector < END_OF_CHAIN - 3);
}

function readDirectory(reader: Reader, directory: Buffer): RawEntry[] {
  const within = new Reader(directory);
  const longSizes = reader.u16(0x1a) === 4;
  const entries: RawEntry[] = [];
  for (let at = 0; within.has(at, ENTRY_BYTES); at += ENTRY_BYTES) {
    entries.push(readEntry(within, at, longSizes));
  }
  return entries;
}

function readEntry(reader: Reader, at: number, longSizes: boolean): RawEntry {
  const number = (offset: number) => reader.u32(at + offset) ?? END_OF_CHAIN;
  const nameBytes = Math.min(Math.max((reader.u16(at + 0x40) ?? 0) - 2, 0), 62);
  return {
    name: reader.upTo(at, nameBytes).toString('utf16le'),
    kind: KINDS[reader.u8(at + 0x42) ?? 0],
    clsid: formatGuid(reader.upTo(at + 0x50, 16)),
    left: number(0x44),
    right: number(0x48),
    child: number(0x4c),
    start: number(0x74),
    sizeBytes: (longSizes ? reader.u64(at + 0x78) : reader.u32(at + 0x78)) ?? 0,
  };
}

/** Sixteen bytes in the notation of Windows; empty if absent or all zero. */
export function formatGuid(bytes: Buffer): string {
  if (bytes.length < 16 || bytes.every((byte) => byte === 0)) return '';
  const hex = (from: number, to: number) => bytes.toString('hex', from, to);
  const swapped = (from: number, to: number) =>
    Buffer.from(bytes.subarray(from, to)).reverse().toString('hex');
  return [swapped(0, 4), swapped(4, 6), swapped(6, 8), hex(8, 10), hex(10, 16)].join('-');
}
