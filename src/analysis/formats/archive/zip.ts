import { crc32 } from 'node:zlib';
import type { Subject } from '../../subject.ts';
import { defineFormat, type Findings, type TagMeaning } from '../format.ts';
import { decompress, type Unpacked, type UnpackLimits } from './bytes.ts';
import { MEMBER_TAGS, Members } from './members.ts';
import { unpackWithPasswords } from './passwords.ts';
import { parseZip, type ZipDirectory, type ZipEntry } from './zip-directory.ts';
import { repackZip } from './zip-repack.ts';

const KIND_TAGS = {
  JAR: [1, 'Java archive'],
  APK: [1, 'Android package'],
  OOXML: [1, 'Office Open XML document'],
  ODF: [1, 'OpenDocument file'],
  XPI: [1, 'Extension of a Mozilla application'],
  NUPKG: [1, 'NuGet package'],
  APPX: [1, 'Windows application package'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type KindTag = keyof typeof KIND_TAGS;

const TAGS = {
  ...MEMBER_TAGS,
  ...KIND_TAGS,
  ZIP: [1, 'ZIP archive'],
  ARCHIVE_OVERLAP: [4, 'Several members share the same bytes, as in non-recursive zip bombs'],
  ZIP_CONCATENATED: [4, 'Two concatenated archives: programs differ in which one they show'],
  ZIP_APPENDED: [3, 'A ZIP archive appended to other content'],
} as const satisfies Readonly<Record<string, TagMeaning>>;

type Tag = keyof typeof TAGS;

const STORED = 0;
const DEFLATED = 8;
/** The maximum of a ZIP without zip64, and more than regular archives have. */
const BOMB_FROM_MEMBERS = 65_535;

export const zip = defineFormat<Tag>({
  name: 'zip',
  tags: TAGS,

  matches({ bytes }) {
    return startsAsZip(bytes) || (!isProgram(bytes) && endsAsZip(bytes));
  },

  async inspect(subject, findings) {
    const directory = subject.as(parseZip);
    if (directory === undefined) return;
    findings.tag('ZIP');
    judgeDirectory(directory, findings);
    const members = new Members(subject, findings);
    judgePrefix(subject, directory, findings);
    await unpackAll(directory, members, findings);
    members.finish(directory.count);
  },
});

function startsAsZip(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 4);
  return start === 'PK\x03\x04' || start === 'PK\x05\x06';
}

/** Archives appended to programs are found by the formats of programs. */
function isProgram(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 4);
  return start.startsWith('MZ') || start === '\x7fELF';
}

function endsAsZip(bytes: Buffer): boolean {
  const tail = bytes.subarray(-65_557);
  return tail.includes('PK\x05\x06', 0, 'latin1') && (parseZip(bytes)?.count ?? 0) > 0;
}

function judgeDirectory(directory: ZipDirectory, findings: Findings<Tag>): void {
  const kind = kindOf(directory);
  if (kind !== undefined) findings.tag(kind);
  if (directory.isDamaged) findings.tag('ARCHIVE_DAMAGED', { note: 'its directory' });
  if (directory.isTruncated) findings.limit(`listed ${directory.entries.length} members`);
  if (directory.count > BOMB_FROM_MEMBERS)
    findings.tag('ARCHIVE_BOMB', { note: `${directory.count} members` });
  const overlap = firstOverlap(directory.entries);
  if (overlap !== undefined)
    findings.tag('ARCHIVE_OVERLAP', { offset: overlap.offset, note: overlap.name });
}

/** Each kind is recognised by a name that its archives always contain. */
function kindOf({ entries }: ZipDirectory): KindTag | undefined {
  const names = new Set(entries.map(({ name }) => name));
  if (names.has('AndroidManifest.xml')) return 'APK';
  if (names.has('AppxManifest.xml')) return 'APPX';
  if (names.has('META-INF/mozilla.rsa') || names.has('install.rdf')) return 'XPI';
  if (entries.some(({ name }) => /^[^/]+\.nuspec$/i.test(name))) return 'NUPKG';
  if (names.has('[Content_Types].xml')) return 'OOXML';
  if (names.has('mimetype') && names.has('META-INF/manifest.xml')) return 'ODF';
  return names.has('META-INF/MANIFEST.MF') ? 'JAR' : undefined;
}

function firstOverlap(entries: readonly ZipEntry[]): ZipEntry | undefined {
  const inOrder = entries
    .filter(({ content }) => content.length > 0)
    .sort((one, other) => one.offset - other.offset);
  let end = -1;
  for (const entry of inOrder) {
    if (entry.offset < end) return entry;
    end = entry.start + entry.content.length;
  }
  return undefined;
}

/**
 * Judges the bytes before the archive: another archive, which some programs show instead, or other
 * content.
 */
function judgePrefix(
  subject: Subject,
  { prefixBytes }: ZipDirectory,
  findings: Findings<Tag>,
): void {
  if (prefixBytes === 0) return;
  if (!startsAsZip(subject.bytes)) {
    findings.tag('ZIP_APPENDED', { offset: prefixBytes });
    return;
  }
  findings.tag('ZIP_CONCATENATED', { offset: prefixBytes });
  if (findings.budget.takeMember() && findings.budget.takeBytes(prefixBytes))
    findings.nest('(the archive before)', subject.bytes.subarray(0, prefixBytes));
}

async function unpackAll(
  { entries }: ZipDirectory,
  members: Members,
  findings: Findings<Tag>,
): Promise<void> {
  const others: ZipEntry[] = [];
  for (const entry of entries) {
    const { name, sizeBytes, packedBytes, isEncrypted } = entry;
    if (name.endsWith('/') && packedBytes === 0) continue;
    members.list({ name, sizeBytes, packedBytes, encrypted: isEncrypted });
  }
  for (const entry of entries) {
    if (entry.content.length === 0) continue;
    if (!members.mayUnpack()) return;
    if (isPlain(entry)) members.add(entry.name, await unpack(entry, members.limits));
    else others.push(entry);
  }
  if (others.length > 0 && members.mayUnpack()) await unpackOthers(others, members, findings);
}

function isPlain({ isEncrypted, method }: ZipEntry): boolean {
  return !isEncrypted && (method === STORED || method === DEFLATED);
}

async function unpack(entry: ZipEntry, limits: UnpackLimits): Promise<Unpacked> {
  const { content, method, sizeBytes, crc } = entry;
  const unpacked =
    method === STORED
      ? stored(content, limits)
      : await decompress({ bytes: content, coding: 'raw', expectedBytes: sizeBytes }, limits);
  if (unpacked.end !== 'whole' || crc32(unpacked.bytes) === crc) return unpacked;
  return { ...unpacked, end: 'damaged' };
}

function stored(content: Buffer, limits: UnpackLimits): Unpacked {
  const end = content.length > limits.bytes ? 'limit' : 'whole';
  return { bytes: content.subarray(0, limits.bytes), end, packedBytes: content.length };
}

/** Unpacks encrypted entries and methods other than deflate. */
async function unpackOthers(
  entries: readonly ZipEntry[],
  members: Members,
  findings: Findings<Tag>,
): Promise<void> {
  const archive = repackZip(entries.slice(0, findings.budget.membersLeft));
  const run = await unpackWithPasswords({ archive, type: 'zip' }, findings);
  for (const { name, bytes, state } of run.members) {
    const entry = entries[Number(name)];
    if (entry === undefined || state === 'locked' || !members.mayUnpack()) continue;
    const end = state === 'cut' ? 'limit' : state;
    members.add(entry.name, { bytes, end, packedBytes: entry.content.length });
  }
  if (run.isStopped) findings.limit('not all members were unpacked');
}
