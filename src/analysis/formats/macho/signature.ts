import { Reader } from '../../reader.ts';

/**
 * A code signature, always big-endian (Apple's public `cs_blobs.h`).
 *
 * | offset | content |
 * |---|---|
 * | 0 | u32 0xfade0cc0, u32 length, u32 count |
 * | 12 | each: u32 kind (0 directory, 5 entitlements, 0x10000 certificates), u32 offset of a blob |
 * | a blob | u32 magic, u32 length, content |
 * | directory | 0xfade0c02; u32 version at 8, flags at 12 (2: no certificate), offset of the |
 * |           | identifier at 20, of the team at 48 (from version 0x20200) |
 */
export interface MachSignature {
  readonly offset: number;
  readonly identifier: string | undefined;
  readonly team: string | undefined;
  /** Signed without a certificate, which proves no identity. */
  readonly isAdHoc: boolean;
  /** The requested permissions, as a property list. */
  readonly entitlements: string | undefined;
}

const SUPER_BLOB = 0xfade0cc0;
const DIRECTORY = 0xfade0c02;
const SLOT = { directory: 0, entitlements: 5, certificates: 0x10000 } as const;
const MAX_BLOBS = 32;
const MAX_TEXT = 256;
const MAX_ENTITLEMENTS = 4_096;
const AD_HOC = 2;
const WITH_TEAM = 0x20200;

/** `undefined` if there is no signature at this offset. */
export function readSignature(
  file: Reader,
  offset: number,
  size: number,
): MachSignature | undefined {
  const reader = new Reader(file.upTo(offset, size));
  if (reader.u32(0, true) !== SUPER_BLOB) return undefined;
  const blobs = readBlobs(reader);
  const directory = blobs.get(SLOT.directory);
  const certificates = blobs.get(SLOT.certificates);
  const entitlements = blobs.get(SLOT.entitlements);
  const isDirectory = directory?.u32(0, true) === DIRECTORY;
  const text = (at: number) => {
    const into = isDirectory ? (directory.u32(at, true) ?? 0) : 0;
    return into === 0 ? undefined : directory?.text(into, MAX_TEXT, 'utf8');
  };
  const flags = isDirectory ? (directory.u32(12, true) ?? 0) : 0;
  return {
    offset,
    identifier: text(20),
    team: (directory?.u32(8, true) ?? 0) >= WITH_TEAM ? text(48) : undefined,
    isAdHoc: (flags & AD_HOC) !== 0 || (certificates?.length ?? 0) <= 8,
    entitlements: entitlements?.upTo(8, MAX_ENTITLEMENTS).toString('utf8'),
  };
}

/** The first blob of each kind, cut to its stated length. */
function readBlobs(reader: Reader): Map<number, Reader> {
  const blobs = new Map<number, Reader>();
  const count = Math.min(reader.u32(8, true) ?? 0, MAX_BLOBS);
  for (let index = 0; index < count; index += 1) {
    const kind = reader.u32(12 + index * 8, true);
    const at = reader.u32(16 + index * 8, true);
    if (kind === undefined || at === undefined) break;
    const length = reader.u32(at + 4, true) ?? 0;
    if (!blobs.has(kind)) blobs.set(kind, new Reader(reader.upTo(at, length)));
  }
  return blobs;
}
