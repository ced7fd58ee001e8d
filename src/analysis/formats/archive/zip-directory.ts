import { Reader } from '../../reader.ts';

/**
 * ZIP (PKWARE, APPNOTE.TXT). All integers are little-endian.
 *
 *   local header    "PK\3\4"  +6 flags u16  +8 method u16  +10 time u32  +14 crc u32
 *                             +18 packed u32  +22 size u32  +26 name length u16
 *                             +28 extra length u16  +30 name, extra, content
 *   directory entry "PK\1\2"  +8 flags  +10 method  +12 time  +16 crc  +20 packed  +24 size
 *                             +28 name length  +30 extra length  +32 comment length
 *                             +42 offset of the local header u32  +46 name …
 *   end             "PK\5\6"  +10 count u16  +12 size of the directory u32  +16 its offset u32
 *                             +20 comment length
 *   zip64 locator   "PK\6\7"  +8 offset of the zip64 end u64; lies 20 bytes before the end
 *   zip64 end       "PK\6\6"  +32 count u64  +40 size u64  +48 offset u64
 *
 * The directory is authoritative. If it is missing or truncated, the local headers are read
 * instead.
 */
export interface ZipEntry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  /** Date and time, unparsed: the encryption may use them. */
  readonly time: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly sizeBytes: number;
  readonly isEncrypted: boolean;
  /** The offset of its local header. */
  readonly offset: number;
  /** The offset of its content. */
  readonly start: number;
  /** The packed bytes; shorter than stated in a truncated archive. */
  readonly content: Buffer;
  readonly extra: Buffer;
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  /** All entries, including those that are not in `entries`. */
  readonly count: number;
  /** The number of bytes before the archive that this directory describes. */
  readonly prefixBytes: number;
  /** Whether the directory is missing or truncated. */
  readonly isDamaged: boolean;
  readonly isTruncated: boolean;
}

const LOCAL = Buffer.from('PK\x03\x04', 'latin1');
const END = Buffer.from('PK\x05\x06', 'latin1');
const LOCAL_SIGNATURE = 0x04034b50;
const DIRECTORY_SIGNATURE = 0x02014b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_END_SIGNATURE = 0x06064b50;
const END_BYTES = 22;
const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const LONGEST_COMMENT = 65_535;
/** Entries beyond this are only counted. Far more than may be unpacked. */
const MAX_ENTRIES = 10_000;
const NONE = Buffer.alloc(0);

const ENCRYPTED = 1;
const SIZES_FOLLOW = 8;
const NAME_IS_UTF8 = 0x800;
/** Marks a value that is in the zip64 extra field instead. */
const IN_ZIP64 = 0xffffffff;

export function parseZip(bytes: Buffer): ZipDirectory | undefined {
  const reader = new Reader(bytes);
  let empty: ZipDirectory | undefined;
  for (const end of ends(reader)) {
    const found = readDirectory(reader, end);
    if (found !== undefined && found.count > 0) return found;
    empty ??= found;
  }
  return reader.u32(0) === LOCAL_SIGNATURE ? walkLocalHeaders(reader) : empty;
}

interface End {
  readonly offset: number;
  readonly count: number;
  readonly directorySize: number;
  readonly directoryOffset: number;
}

/** The last one first: a comment may contain the same signature. */
function* ends(reader: Reader): Generator<End> {
  const from = Math.max(0, reader.length - LONGEST_COMMENT - END_BYTES);
  const tail = reader.bytes.subarray(from);
  for (let at = tail.lastIndexOf(END); at !== -1; ) {
    const end = readEnd(reader, from + at);
    if (end !== undefined) yield end;
    at = at === 0 ? -1 : tail.lastIndexOf(END, at - 1);
  }
}

function readEnd(reader: Reader, offset: number): End | undefined {
  if (!reader.has(offset, END_BYTES)) return undefined;
  return (
    readZip64End(reader, offset) ?? {
      offset,
      count: reader.u16(offset + 10) ?? 0,
      directorySize: reader.u32(offset + 12) ?? 0,
      directoryOffset: reader.u32(offset + 16) ?? 0,
    }
  );
}

function readZip64End(reader: Reader, end: number): End | undefined {
  if (reader.u32(end - 20) !== ZIP64_LOCATOR_SIGNATURE) return undefined;
  const offset = reader.u64(end - 12) ?? -1;
  if (reader.u32(offset) !== ZIP64_END_SIGNATURE) return undefined;
  const count = reader.u64(offset + 32);
  const directorySize = reader.u64(offset + 40);
  const directoryOffset = reader.u64(offset + 48);
  if (count === undefined || directorySize === undefined || directoryOffset === undefined)
    return undefined;
  return { offset, count, directorySize, directoryOffset };
}

function readDirectory(reader: Reader, end: End): ZipDirectory | undefined {
  const start = findDirectory(reader, end);
  if (start === undefined) return undefined;
  const prefixBytes = start - end.directoryOffset;
  const entries: ZipEntry[] = [];
  let count = 0;
  let at = start;
  while (reader.u32(at) === DIRECTORY_SIGNATURE) {
    const next = entryEnd(reader, at);
    if (next === undefined) break;
    if (entries.length < MAX_ENTRIES) entries.push(readEntry(reader, at, prefixBytes));
    count += 1;
    at = next;
  }
  return {
    entries,
    count,
    prefixBytes,
    isDamaged: at < end.offset,
    isTruncated: count > entries.length,
  };
}

/** At the stated offset, or directly before the end record if data was prepended to the archive. */
function findDirectory(reader: Reader, end: End): number | undefined {
  const { offset, directorySize, directoryOffset } = end;
  const candidates = [offset - directorySize, directoryOffset];
  const start = candidates.find((candidate) => reader.u32(candidate) === DIRECTORY_SIGNATURE);
  if (start !== undefined && start >= directoryOffset) return start;
  if (directorySize === 0 && end.count === 0) return offset;
  return undefined;
}

function entryEnd(reader: Reader, at: number): number | undefined {
  const name = reader.u16(at + 28);
  const extra = reader.u16(at + 30);
  const comment = reader.u16(at + 32);
  if (name === undefined || extra === undefined || comment === undefined) return undefined;
  const end = at + ENTRY_BYTES + name + extra + comment;
  return end <= reader.length ? end : undefined;
}

function readEntry(reader: Reader, at: number, prefixBytes: number): ZipEntry {
  const number = (offset: number) => reader.u32(at + offset) ?? 0;
  const flags = reader.u16(at + 8) ?? 0;
  const nameBytes = reader.u16(at + 28) ?? 0;
  const extra = reader.upTo(at + ENTRY_BYTES + nameBytes, reader.u16(at + 30) ?? 0);
  const [sizeBytes = 0, packedBytes = 0, localOffset = 0] = zip64Values(extra, [
    number(24),
    number(20),
    number(42),
  ]);
  const offset = localOffset + prefixBytes;
  const local = localContent(reader, offset);
  return {
    name: decodeName(reader.upTo(at + ENTRY_BYTES, nameBytes), flags),
    flags,
    method: reader.u16(at + 10) ?? 0,
    time: number(12),
    crc: number(16),
    packedBytes,
    sizeBytes,
    // Some archives set the flag only in the directory, which Android ignores.
    isEncrypted: ((local?.flags ?? flags) & flags & ENCRYPTED) !== 0,
    offset,
    start: local?.start ?? offset,
    content: local === undefined ? NONE : reader.upTo(local.start, packedBytes),
    extra,
  };
}

function localContent(reader: Reader, at: number): { start: number; flags: number } | undefined {
  if (reader.u32(at) !== LOCAL_SIGNATURE) return undefined;
  const name = reader.u16(at + 26);
  const extra = reader.u16(at + 28);
  const flags = reader.u16(at + 6);
  if (name === undefined || extra === undefined || flags === undefined) return undefined;
  return { start: at + LOCAL_BYTES + name + extra, flags };
}

/** Values that do not fit are in extra field 0x0001, in this order, each only if needed. */
function zip64Values(extra: Buffer, values: readonly number[]): readonly number[] {
  const field = values.includes(IN_ZIP64) ? extraField(extra, 0x0001) : undefined;
  if (field === undefined) return values;
  const reader = new Reader(field);
  let at = 0;
  return values.map((value) => {
    if (value !== IN_ZIP64) return value;
    at += 8;
    return reader.u64(at - 8) ?? value;
  });
}

export function extraField(extra: Buffer, id: number): Buffer | undefined {
  const reader = new Reader(extra);
  for (let at = 0; reader.has(at, 4); at += 4 + (reader.u16(at + 2) ?? 0)) {
    if (reader.u16(at) === id) return reader.slice(at + 4, reader.u16(at + 2) ?? 0);
  }
  return undefined;
}

/** Many writers use UTF-8 without setting the flag. */
function decodeName(bytes: Buffer, flags: number): string {
  const text = bytes.toString('utf8');
  return (flags & NAME_IS_UTF8) !== 0 || !text.includes('\ufffd') ? text : bytes.toString('latin1');
}

function walkLocalHeaders(reader: Reader): ZipDirectory {
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at !== -1 && entries.length < MAX_ENTRIES) {
    const entry = readLocal(reader, at);
    if (entry === undefined) break;
    entries.push(entry);
    const after = at + LOCAL_BYTES + entry.content.length;
    at = reader.bytes.indexOf(LOCAL, after);
  }
  const isTruncated = entries.length === MAX_ENTRIES;
  return { entries, count: entries.length, prefixBytes: 0, isDamaged: true, isTruncated };
}

function readLocal(reader: Reader, at: number): ZipEntry | undefined {
  const local = localContent(reader, at);
  if (local === undefined) return undefined;
  const { start, flags } = local;
  const nameBytes = reader.u16(at + 26) ?? 0;
  const extra = reader.upTo(at + LOCAL_BYTES + nameBytes, start - at - LOCAL_BYTES - nameBytes);
  const number = (offset: number) => reader.u32(at + offset) ?? 0;
  const [sizeBytes = 0, stated = 0] = zip64Values(extra, [number(22), number(18)]);
  const packedBytes = (flags & SIZES_FOLLOW) !== 0 ? untilNextHeader(reader, start) : stated;
  return {
    name: decodeName(reader.upTo(at + LOCAL_BYTES, nameBytes), flags),
    flags,
    method: reader.u16(at + 8) ?? 0,
    time: number(10),
    crc: number(14),
    packedBytes,
    sizeBytes,
    isEncrypted: (flags & ENCRYPTED) !== 0,
    offset: at,
    start,
    content: reader.upTo(start, packedBytes),
    extra,
  };
}

/** An overestimate is harmless: packed content has its own end marker. */
function untilNextHeader(reader: Reader, start: number): number {
  const { bytes } = reader;
  // The hot loop. A search for two letters would stop at each of millions of them.
  for (let at = start; at + 4 <= bytes.length; at += 1) {
    if (bytes[at] !== LOCAL[0] || bytes[at + 1] !== LOCAL[1]) continue;
    const signature = reader.u32(at);
    if (signature === LOCAL_SIGNATURE || signature === DIRECTORY_SIGNATURE) return at - start;
  }
  return reader.length - start;
}
