import type { Subject } from '../../subject.ts';
import { defineFormat, type Findings, type TagMeaning } from '../format.ts';
import { MEMBER_TAGS, Members } from './members.ts';
import { isProgramName } from './names.ts';
import { type OpenedRun, unpackWithPasswords } from './passwords.ts';

const TAGS = {
  ...MEMBER_TAGS,
  SEVEN_ZIP: [1, '7z archive'],
  RAR: [1, 'RAR archive'],
  CAB: [1, 'Microsoft cabinet'],
  ISO: [1, 'Optical disc image'],
  LZH: [1, 'LZH archive'],
  WIM: [1, 'Windows imaging archive'],
  CHM: [1, 'Compiled HTML help file'],
  NSIS: [1, 'Installer made with NSIS'],
  ISO_ONLY_PROGRAM: [3, 'A disc image that contains only a program'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tag = keyof typeof TAGS;

/** An archive format that 7-Zip unpacks. */
interface Kind {
  readonly tag: Tag;
  /** 7-Zip's name of the format. */
  readonly type: string;
  matches(bytes: Buffer): boolean;
}

const SECTOR_BYTES = 2048;
/**
 * The sector of the first volume descriptor of a disc (ECMA-119 and ECMA-167), one per sector of
 * 2048 bytes: u8 type, 5 bytes of identifier (`CD001`, `NSR02`, …).
 */
const FIRST_DESCRIPTOR = 16;
const MAX_DESCRIPTORS = 16;
/** 0xDEADBEEF and "NullsoftInst", in the header before the data of an NSIS installer. */
const NSIS_MARK = Buffer.from('efbeadde4e756c6c736f6674496e7374', 'hex');

const KINDS: readonly Kind[] = [
  { tag: 'SEVEN_ZIP', type: '7z', matches: has(0, '7z\xbc\xaf\x27\x1c') },
  { tag: 'RAR', type: 'Rar', matches: has(0, 'Rar!\x1a\x07\x00') },
  { tag: 'RAR', type: 'Rar5', matches: has(0, 'Rar!\x1a\x07\x01\x00') },
  { tag: 'CAB', type: 'Cab', matches: has(0, 'MSCF\0\0\0\0') },
  // If both are present, systems mount UDF.
  { tag: 'ISO', type: 'Udf', matches: (bytes) => hasDescriptor(bytes, /^NSR0[23]$/) },
  { tag: 'ISO', type: 'Iso', matches: (bytes) => hasDescriptor(bytes, /^CD001$/) },
  { tag: 'LZH', type: 'Lzh', matches: (bytes) => /^..-lh[0-7d]-/s.test(text(bytes, 0, 7)) },
  { tag: 'WIM', type: 'wim', matches: has(0, 'MSWIM\0\0\0') },
  { tag: 'CHM', type: 'Chm', matches: has(0, 'ITSF\x03\0\0\0') },
  {
    tag: 'NSIS',
    type: 'Nsis',
    matches: (bytes) => text(bytes, 0, 2) === 'MZ' && bytes.includes(NSIS_MARK),
  },
];

export const archive = defineFormat<Tag>({
  name: 'archive',
  tags: TAGS,

  matches: ({ bytes }) => kindOf(bytes) !== undefined,

  async inspect(subject, findings) {
    const kind = kindOf(subject.bytes);
    if (kind === undefined) return;
    findings.tag(kind.tag);
    findings.facts({ kind: kind.type });
    const members = new Members(subject, findings);
    if (!members.mayUnpack()) return;
    const run = await unpackWithPasswords({ archive: subject.bytes, type: kind.type }, findings);
    takeAll(run, subject, { members, findings });
    if (kind.tag === 'ISO' && isOnlyProgram(run)) findings.tag('ISO_ONLY_PROGRAM');
    members.finish();
  },
});

function kindOf(bytes: Buffer): Kind | undefined {
  return KINDS.find((kind) => kind.matches(bytes));
}

function text(bytes: Buffer, start: number, length: number): string {
  return bytes.toString('latin1', start, start + length);
}

function has(offset: number, signature: string): Kind['matches'] {
  return (bytes) => text(bytes, offset, signature.length) === signature;
}

function hasDescriptor(bytes: Buffer, name: RegExp): boolean {
  for (let sector = FIRST_DESCRIPTOR; sector < FIRST_DESCRIPTOR + MAX_DESCRIPTORS; sector += 1) {
    const found = text(bytes, sector * SECTOR_BYTES + 1, 5);
    if (name.test(found)) return true;
    if (!/^(?:CD001|BEA01|NSR0[23]|TEA01|BOOT2)$/.test(found)) return false;
  }
  return false;
}

interface Taking {
  readonly members: Members;
  readonly findings: Findings<Tag>;
}

function takeAll(
  run: OpenedRun,
  { bytes: archived }: Subject,
  { members, findings }: Taking,
): void {
  let unpackedBytes = 0;
  for (const { name, bytes, state } of run.members) {
    members.list({ name, sizeBytes: bytes.length, encrypted: run.isEncrypted });
    unpackedBytes += bytes.length;
    if (state === 'locked' || !members.mayUnpack()) continue;
    const end = state === 'cut' ? 'limit' : state;
    // Members of a solid archive have no packed size of their own.
    members.add(name, { bytes, end, packedBytes: archived.length });
  }
  members.judgeRatio(unpackedBytes, { packedBytes: archived.length, end: 'whole' });
  if (run.isDamaged) findings.tag('ARCHIVE_DAMAGED');
  if (run.isStopped) findings.limit('not all members were unpacked');
}

function isOnlyProgram({ members, isStopped }: OpenedRun): boolean {
  const [only] = members;
  if (only === undefined || members.length > 1 || isStopped) return false;
  return isProgramName(only.name) || text(only.bytes, 0, 2) === 'MZ';
}
