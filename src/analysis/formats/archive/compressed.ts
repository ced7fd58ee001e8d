import { isZlib } from '../../codecs/inflate.ts';
import { Reader } from '../../reader.ts';
import type { Subject } from '../../subject.ts';
import { defineFormat, type Findings, type TagMeaning } from '../format.ts';
import { type Coding, decompress, type Unpacked } from './bytes.ts';
import { MEMBER_TAGS, Members } from './members.ts';
import { runSeven } from './seven-run.ts';

const TAGS = {
  ...MEMBER_TAGS,
  GZIP: [1, 'Compressed with gzip'],
  ZLIB: [1, 'Compressed with zlib'],
  ZSTD: [1, 'Compressed with Zstandard'],
  BZIP2: [1, 'Compressed with bzip2'],
  XZ: [1, 'Compressed with xz'],
  LZMA: [1, 'Compressed with LZMA'],
  COMPRESS: [1, 'Compressed with compress'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tag = keyof typeof TAGS;

/** A stream with a single content. Node unpacks some of the kinds, 7-Zip the others. */
interface Kind {
  readonly tag: Tag;
  readonly by: { readonly coding: Coding } | { readonly seven: string };
  matches(bytes: Buffer): boolean;
}

const KINDS: readonly Kind[] = [
  { tag: 'GZIP', by: { coding: 'gzip' }, matches: has('\x1f\x8b\x08') },
  { tag: 'ZSTD', by: { coding: 'zstd' }, matches: has('\x28\xb5\x2f\xfd') },
  { tag: 'BZIP2', by: { seven: 'bzip2' }, matches: has(/^BZh[1-9]1AY&SY/) },
  { tag: 'XZ', by: { seven: 'xz' }, matches: has('\xfd7zXZ\0') },
  // A common property byte, a dictionary size that is a power of two, and a size that is unknown or
  // below 4 GiB.
  { tag: 'LZMA', by: { seven: 'lzma' }, matches: has(/^\x5d\0\0..(?:\xff{8}|.{4}\0{4})/s) },
  { tag: 'COMPRESS', by: { seven: 'Z' }, matches: has('\x1f\x9d\x90') },
  { tag: 'ZLIB', by: { coding: 'zlib' }, matches: isZlib },
];

export const compressed = defineFormat<Tag>({
  name: 'compressed',
  tags: TAGS,

  matches: ({ bytes }) => kindOf(bytes) !== undefined,

  async inspect(subject, findings) {
    const kind = kindOf(subject.bytes);
    if (kind === undefined) return;
    findings.tag(kind.tag);
    const members = new Members(subject, findings);
    if (!members.mayUnpack()) return;
    const unpacked = await unpack(kind, subject.bytes, findings);
    const name = innerName(subject);
    members.list({ name, sizeBytes: unpacked.bytes.length, packedBytes: subject.bytes.length });
    members.add(name, unpacked);
    members.finish();
  },
});

function kindOf(bytes: Buffer): Kind | undefined {
  return KINDS.find((kind) => kind.matches(bytes));
}

function has(start: string | RegExp): Kind['matches'] {
  if (typeof start === 'string')
    return (bytes) => bytes.toString('latin1', 0, start.length) === start;
  return (bytes) => start.test(bytes.toString('latin1', 0, 16));
}

async function unpack(kind: Kind, bytes: Buffer, { budget }: Findings<Tag>): Promise<Unpacked> {
  const limits = { bytes: budget.bytesLeft, members: 1, isOver: () => budget.isOver() };
  if ('coding' in kind.by) return await decompress({ bytes, coding: kind.by.coding }, limits);
  const run = await runSeven({ archive: bytes, type: kind.by.seven, password: '' }, limits);
  const [content] = run.members;
  const end = run.isStopped ? 'limit' : run.isDamaged ? 'damaged' : 'whole';
  return { bytes: content?.bytes ?? Buffer.alloc(0), end, packedBytes: bytes.length };
}

const GZIP_HAS_EXTRA = 4;
const GZIP_HAS_NAME = 8;

/** The name in the gzip header, or that of the file without its extension. */
function innerName({ bytes, name }: Subject): string {
  const headerName = gzipName(new Reader(bytes));
  if (headerName !== undefined && headerName !== '') return headerName;
  const base = name
    .replace(/^.*[\\/]/s, '')
    .replace(/\.(?:gz|bz2|xz|zst|lzma|z)$/i, '')
    .replace(/\.t[gbx]z2?$/i, '.tar');
  return name.endsWith(base) || base === '' ? 'content' : base;
}

/** RFC 1952: +3 flags, +10 an extra field with its length, then the name up to a zero byte. */
function gzipName(reader: Reader): string | undefined {
  const flags = reader.u8(3) ?? 0;
  if (reader.u16(0, true) !== 0x1f8b || (flags & GZIP_HAS_NAME) === 0) return undefined;
  const extra = (flags & GZIP_HAS_EXTRA) === 0 ? 0 : 2 + (reader.u16(10) ?? 0);
  return reader.text(10 + extra, 255);
}
