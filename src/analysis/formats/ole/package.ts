import { Reader } from '../../reader.ts';

/**
 * A file that was dragged into a document ("Packager"). The stream `\x01Ole10Native` begins with
 * its length ([MS-OLEDS] 2.3.6). The content is unspecified; Windows writes:
 *
 * | bytes | content                              |
 * |-------|--------------------------------------|
 * | 2     | 2                                    |
 * | …     | label, zero-terminated               |
 * | …     | original path, zero-terminated       |
 * | 4     | 0, then 3 for an embedded file       |
 * | 4 + … | length of the temporary path, itself |
 * | 4 + … | length of the file, itself           |
 */
export interface OlePackage {
  readonly label: string;
  readonly sourcePath: string;
  readonly temporaryPath: string;
  readonly content: Buffer;
}

const MAX_PATH = 1024;

/** Parses a whole `\x01Ole10Native` stream. */
export function parseOle10Native(stream: Buffer): OlePackage | undefined {
  return parsePackage(stream.subarray(4));
}

export function parsePackage(bytes: Buffer): OlePackage | undefined {
  const reader = new Reader(bytes);
  if (reader.u16(0) !== 2) return undefined;
  const label = reader.text(2, MAX_PATH) ?? '';
  const sourcePath = reader.text(3 + label.length, MAX_PATH) ?? '';
  const kindAt = 4 + label.length + sourcePath.length;
  const pathBytes = reader.u32(kindAt + 4);
  if (reader.u16(kindAt + 2) !== 3 || pathBytes === undefined) return undefined;
  const contentAt = kindAt + 8 + pathBytes;
  const contentBytes = reader.u32(contentAt);
  if (contentBytes === undefined) return undefined;
  return {
    label,
    sourcePath,
    temporaryPath: reader.text(kindAt + 8, Math.min(pathBytes, MAX_PATH)) ?? '',
    content: reader.upTo(contentAt + 4, contentBytes),
  };
}

/** The name of the file: the last part of its label or of its original path. */
export function packageName({ label, sourcePath }: OlePackage): string {
  const stated = label === '' ? sourcePath : label;
  return stated.slice(Math.max(stated.lastIndexOf('\\'), stated.lastIndexOf('/')) + 1) || 'package';
}
