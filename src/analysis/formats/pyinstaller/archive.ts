import { inflateSync } from 'node:zlib';
import { Reader } from '../../reader.ts';
import { type PythonVersion, type PyValue, readMarshal } from './marshal.ts';

/**
 * The archive that PyInstaller appends to its loader, all integers big-endian:
 *
 *   files    packed with zlib or stored
 *   list     u32 size of this entry, u32 offset, u32 packed size, u32 size, u8 is packed, u8 type,
 *            name, padded with zeros
 *            types: s script, z archive of modules, b library, x data, m M module, o option, …
 *   cookie   "MEI" 0c 0b 0a 0b 0e, u32 size of the archive, u32 offset of the list, u32 its size,
 *            u32 version of Python, since 2.1: 64 bytes name of Python's library
 *
 * The archive of modules:
 *
 *   "PYZ\0", 4 bytes version of Python, u32 offset of its list, a marshalled list (formerly a
 *   dictionary) of (name, (type, offset, size)); modules are marshalled code, packed with zlib
 *
 * Reference: https://pyinstaller.org/en/stable/advanced-topics.html.
 */
export interface PyArchive {
  readonly offset: number;
  readonly version: PythonVersion;
  readonly entries: readonly PyEntry[];
  /** Whether the list exceeds the limit. */
  readonly isCut: boolean;
}

export interface PyEntry {
  readonly name: string;
  readonly type: string;
  readonly sizeBytes: number;
  readonly isPacked: boolean;
  readonly stored: Buffer;
}

interface PyModule {
  readonly name: string;
  readonly stored: Buffer;
}

const COOKIE = Buffer.from('4d45490c0b0a0b0e', 'hex');
const COOKIE_SIZES = [88, 24] as const;
/** Only a signature may follow the cookie. */
const TAIL_BYTES = 128 * 1024;
const MAX_ENTRIES = 20_000;
const ENTRY_BYTES = 18;
const LONGEST_NAME = 512;

/** The offset of the cookie, or -1. Quick: searches only the end of the file. */
function cookieAt(bytes: Buffer): number {
  const start = Math.max(0, bytes.length - TAIL_BYTES);
  const at = bytes.subarray(start).lastIndexOf(COOKIE);
  return at === -1 ? -1 : start + at;
}

export function parsePyArchive(bytes: Buffer): PyArchive | undefined {
  const cookie = cookieAt(bytes);
  if (cookie === -1) return undefined;
  const reader = new Reader(bytes);
  const number = (index: number) => reader.u32(cookie + 8 + index * 4, true) ?? 0;
  const [size, listOffset, listSize, stated] = [number(0), number(1), number(2), number(3)];
  for (const cookieSize of COOKIE_SIZES) {
    const offset = cookie + cookieSize - size;
    const list = size > 0 && offset >= 0 ? reader.slice(offset + listOffset, listSize) : undefined;
    const archive = list && new Reader(bytes.subarray(offset, cookie));
    const entries = list && archive && readEntries(new Reader(list), archive);
    if (entries && entries.list.length > 0)
      return { offset, version: versionOf(stated), entries: entries.list, isCut: entries.isCut };
  }
  return undefined;
}

/** 27, 39, 311: the first digit is the major version. */
function versionOf(stated: number): PythonVersion {
  const digits = String(stated);
  return Number(digits[0]) * 100 + Number(digits.slice(1, 3));
}

function readEntries(list: Reader, archive: Reader) {
  const entries: PyEntry[] = [];
  let at = 0;
  while (entries.length < MAX_ENTRIES) {
    const size = list.u32(at, true) ?? 0;
    const head = list.slice(at, ENTRY_BYTES);
    if (head === undefined || size < ENTRY_BYTES) break;
    const stored = archive.slice(head.readUInt32BE(4), head.readUInt32BE(8));
    // An entry outside of the file means that this is no archive, or a truncated one.
    if (stored === undefined) return undefined;
    entries.push({
      name: list.text(at + ENTRY_BYTES, Math.min(size - ENTRY_BYTES, LONGEST_NAME), 'utf8') ?? '',
      type: String.fromCharCode(head.readUInt8(17)),
      sizeBytes: head.readUInt32BE(12),
      isPacked: head.readUInt8(16) !== 0,
      stored,
    });
    at += size;
  }
  return { list: entries, isCut: entries.length === MAX_ENTRIES };
}

/** The output, if it is complete and at most `maxBytes`. */
export function inflated(packed: Buffer, maxBytes: number): Buffer | undefined {
  if (packed.length === 0 || maxBytes <= 0) return undefined;
  try {
    return inflateSync(packed, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

export function contentOf({ isPacked, stored }: PyEntry, maxBytes: number): Buffer | undefined {
  if (isPacked) return inflated(stored, maxBytes);
  return stored.length <= maxBytes ? stored : undefined;
}

const MAGIC = Buffer.from('PYZ\0');

/** The modules of an archive of modules. */
export function modulesOf(archive: Buffer, version: PythonVersion): PyModule[] {
  const reader = new Reader(archive);
  if (!reader.upTo(0, 4).equals(MAGIC)) return [];
  const list = readMarshal(archive.subarray(reader.u32(8, true) ?? archive.length), version);
  return (Array.isArray(list) ? list : []).slice(0, MAX_ENTRIES).flatMap((entry: PyValue) => {
    const [name, location] = Array.isArray(entry) ? entry : [];
    const [, at, size] = Array.isArray(location) ? location : [];
    // In Python 2, texts are bytes.
    const isNamed = typeof name === 'string' || Buffer.isBuffer(name);
    if (!isNamed || typeof at !== 'number' || typeof size !== 'number') return [];
    const stored = reader.slice(at, size);
    return stored === undefined ? [] : [{ name: name.toString(), stored }];
  });
}

/** Scripts of PyInstaller itself and of its hooks. */
export function isOwnScript(name: string): boolean {
  return /^(?:pyiboot|pyi_rth|pyimod|_pyi)/.test(name);
}
