import { Reader } from '../../reader.ts';
import { defineFormat, type TagMeaning } from '../format.ts';
import { MEMBER_TAGS, Members } from './members.ts';

/**
 * tar (POSIX.1-1988 "ustar", POSIX.1-2001 "pax", GNU). Records of 512 bytes: a header, then the
 * content padded to a whole record.
 *
 *   +0 name 100   +124 size 12, octal text (or binary if bit 7 of its first byte is set)
 *   +148 checksum 8, octal text   +156 type 1   +257 "ustar"   +345 prefix of the name 155
 *
 * Type "0" or NUL is a file. Other types describe the next header: "L" its long name (GNU), "K" its
 * long link, "x" its attributes (pax), lines of "length key=value". "g" has attributes of all later
 * headers.
 */
export interface TarEntry {
  readonly name: string;
  /** As stated; `content` may be shorter in a truncated archive. */
  readonly sizeBytes: number;
  readonly content: Buffer;
  readonly type: string;
}

export interface TarArchive {
  readonly entries: readonly TarEntry[];
  readonly isDamaged: boolean;
  readonly isTruncated: boolean;
}

const RECORD_BYTES = 512;
const MAX_ENTRIES = 10_000;
const LONGEST_NAME_BYTES = 65_536;
/** Types that describe the next header. */
const PREFIX_TYPES: ReadonlySet<string> = new Set(['L', 'K', 'x', 'g']);

export function parseTar(bytes: Buffer): TarArchive | undefined {
  const reader = new Reader(bytes);
  if (!isHeader(reader, 0)) return undefined;
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  let at = 0;
  let wasCut = false;
  while (entries.length < MAX_ENTRIES && isHeader(reader, at)) {
    const entry = readEntry(reader, at, longName);
    wasCut = entry.content.length < entry.sizeBytes;
    const isPrefix = PREFIX_TYPES.has(entry.type);
    if (!isPrefix) entries.push(entry);
    longName = isPrefix ? (nameForNext(entry) ?? longName) : undefined;
    at += RECORD_BYTES + Math.ceil(entry.sizeBytes / RECORD_BYTES) * RECORD_BYTES;
  }
  const isTruncated = entries.length === MAX_ENTRIES;
  return { entries, isDamaged: wasCut || !(isTruncated || isEnd(reader, at)), isTruncated };
}

/** The checksum is the sum of all bytes, with its own field as spaces. */
function isHeader(reader: Reader, at: number): boolean {
  const header = reader.slice(at, RECORD_BYTES);
  if (header === undefined || header[0] === 0) return false;
  const stated = octal(header.subarray(148, 156));
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  return stated === sum;
}

/** A record of zeros ends the archive; some archives just stop. */
function isEnd(reader: Reader, at: number): boolean {
  return at >= reader.length || reader.upTo(at, RECORD_BYTES).every((byte) => byte === 0);
}

function readEntry(reader: Reader, at: number, longName: string | undefined): TarEntry {
  const sizeBytes = readSize(reader.upTo(at + 124, 12));
  const isPosix = reader.text(at + 257, 6) === 'ustar';
  const prefix = isPosix ? (reader.text(at + 345, 155, 'utf8') ?? '') : '';
  const name = reader.text(at, 100, 'utf8') ?? '';
  return {
    name: longName ?? (prefix === '' ? name : `${prefix}/${name}`),
    sizeBytes,
    content: reader.upTo(at + RECORD_BYTES, sizeBytes),
    type: String.fromCharCode(reader.u8(at + 156) ?? 0),
  };
}

function readSize(field: Buffer): number {
  const isBinary = ((field[0] ?? 0) & 0x80) !== 0;
  if (!isBinary) return octal(field) ?? 0;
  return new Reader(field).u64(4, true) ?? 0;
}

function octal(field: Buffer): number | undefined {
  const [digits] = /^[0-7]+/.exec(field.toString('latin1').trimStart()) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** The name that this header gives to the next one. */
function nameForNext({ type, content }: TarEntry): string | undefined {
  const text = content.toString('utf8', 0, LONGEST_NAME_BYTES);
  if (type === 'L') return text.replace(/\0.*$/s, '');
  return type === 'x' ? /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1] : undefined;
}

const TAGS = {
  ...MEMBER_TAGS,
  TAR: [1, 'tar archive'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

export const tar = defineFormat<keyof typeof TAGS>({
  name: 'tar',
  tags: TAGS,

  matches: ({ bytes }) => isHeader(new Reader(bytes), 0),

  inspect(subject, findings) {
    const parsed = subject.as(parseTar);
    if (parsed === undefined) return;
    findings.tag('TAR');
    if (parsed.isDamaged) findings.tag('ARCHIVE_DAMAGED');
    if (parsed.isTruncated) findings.limit(`listed ${parsed.entries.length} members`);
    const members = new Members(subject, findings);
    for (const { name, sizeBytes, type } of parsed.entries)
      if (isFile(type)) members.list({ name, sizeBytes });
    for (const { name, content, type } of parsed.entries) {
      if (!isFile(type) || content.length === 0) continue;
      if (!members.mayUnpack()) break;
      const end = content.length > members.limits.bytes ? 'limit' : 'whole';
      members.add(name, { bytes: content, end, packedBytes: content.length });
    }
    members.finish();
  },
});

function isFile(type: string): boolean {
  return type === '0' || type === '\0' || type === '7';
}
