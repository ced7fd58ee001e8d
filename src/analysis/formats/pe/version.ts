import { Reader } from '../../reader.ts';

/**
 * A version resource is a tree of blocks (VS_VERSIONINFO, Microsoft Learn), each aligned to four
 * bytes:
 *
 *   u16 total length, u16 length of the value, u16 kind, UTF-16LE key and zero, padding, value,
 *   padding, child blocks
 *
 *   VS_VERSION_INFO (value: fixed numbers, magic 0xfeef04bd)
 *     StringFileInfo
 *       040904b0 (language and code page)
 *         CompanyName (value: text) …
 */
export interface VersionInfo {
  /** The number that Windows compares, `1.2.3.4`; the string of the same name may differ. */
  readonly fileVersion?: string | undefined;
  readonly strings: Readonly<Record<string, string>>;
}

const FIXED_MAGIC = 0xfeef_04bd;
const FIXED_BYTES = 52;
/** Real version resources have about a kilobyte. */
const MAX_BYTES = 64 * 1024;
const MAX_BLOCKS = 512;
const MAX_STRINGS = 64;
const MAX_KEY = 128;
const MAX_VALUE = 1024;
const HEAD_BYTES = 6;

interface Block {
  readonly key: string;
  /** The offset of the value. */
  readonly valueAt: number;
  /** In bytes for numbers, in characters for text. */
  readonly valueLength: number;
  readonly end: number;
}

export function readVersionInfo(resource: Buffer): VersionInfo | undefined {
  const reader = new Reader(resource.subarray(0, MAX_BYTES));
  const root = readBlock(reader, 0, reader.length);
  if (root?.key !== 'VS_VERSION_INFO') return undefined;
  const children = aligned(root.valueAt + root.valueLength);
  const budget = { remaining: MAX_BLOCKS };
  const strings = new Map<string, string>();
  for (const info of blocksIn(reader, children, root.end, budget)) {
    if (info.key !== 'StringFileInfo') continue;
    for (const table of blocksIn(reader, info.valueAt, info.end, budget)) {
      for (const text of blocksIn(reader, table.valueAt, table.end, budget)) {
        if (strings.size < MAX_STRINGS) strings.set(text.key, textOf(reader, text));
      }
    }
  }
  return { fileVersion: fixedVersion(reader, root), strings: Object.fromEntries(strings) };
}

function* blocksIn(reader: Reader, start: number, end: number, budget: { remaining: number }) {
  let at = start;
  while (at + HEAD_BYTES <= end && budget.remaining > 0) {
    budget.remaining -= 1;
    const block = readBlock(reader, at, end);
    if (block === undefined) return;
    yield block;
    at = aligned(block.end);
  }
}

function readBlock(reader: Reader, at: number, limit: number): Block | undefined {
  const length = reader.u16(at);
  const valueLength = reader.u16(at + 2);
  if (length === undefined || valueLength === undefined || length < HEAD_BYTES) return undefined;
  const key = utf16Text(reader, at + HEAD_BYTES, MAX_KEY);
  const valueAt = aligned(at + HEAD_BYTES + (key.length + 1) * 2);
  return { key, valueAt, valueLength, end: Math.min(at + length, limit) };
}

/** Writers disagree on the unit of the length, so the text ends at its zero or with the block. */
function textOf(reader: Reader, block: Block): string {
  if (block.valueLength === 0) return '';
  const maxCharacters = Math.floor((block.end - block.valueAt) / 2);
  return utf16Text(reader, block.valueAt, Math.min(maxCharacters, MAX_VALUE));
}

function utf16Text(reader: Reader, at: number, maxCharacters: number): string {
  const text = reader.upTo(at, maxCharacters * 2).toString('utf16le');
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

function fixedVersion(reader: Reader, root: Block): string | undefined {
  const fixed = reader.slice(root.valueAt, FIXED_BYTES);
  if (fixed?.readUInt32LE(0) !== FIXED_MAGIC) return undefined;
  const parts = [10, 8, 14, 12].map((at) => fixed.readUInt16LE(at));
  return parts.join('.');
}

function aligned(at: number): number {
  return (at + 3) & ~3;
}

const MAX_MANIFEST_BYTES = 64 * 1024;
const LEVEL =
  /<[^<>]{0,32}requestedExecutionLevel\b[^<>]{0,512}?\blevel\s{0,16}=\s{0,16}["'](\w{1,32})["']/;

/**
 * The requested execution level of a manifest: `asInvoker`, `highestAvailable`,
 * `requireAdministrator`.
 */
export function executionLevelOf(manifest: Buffer): string | undefined {
  const bytes = manifest.subarray(0, MAX_MANIFEST_BYTES);
  const isWide = bytes.length >= 2 && bytes[1] === 0 ? true : bytes[0] === 0xff;
  return LEVEL.exec(bytes.toString(isWide ? 'utf16le' : 'utf8'))?.[1];
}
