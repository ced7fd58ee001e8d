import { isZlib } from '../../codecs/inflate.ts';
import { Reader } from '../../reader.ts';
import { readHeaders } from './headers.ts';

/** Magic numbers of content that is nested. */
const MAGICS: readonly (readonly [kind: Embedded, magic: Buffer])[] = [
  ['archive', Buffer.from('PK\x03\x04', 'latin1')],
  ['archive', Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1')],
  ['archive', Buffer.from('Rar!\x1a\x07', 'latin1')],
  ['archive', Buffer.from('MSCF\0\0\0\0', 'latin1')],
  ['archive', Buffer.from('\x1f\x8b\x08', 'latin1')],
  ['archive', Buffer.from('\xfd7zXZ\0', 'latin1')],
  ['archive', Buffer.from('BZh91AY&SY', 'latin1')],
  ['document', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1')],
];

export type Embedded = 'pe' | 'archive' | 'document';

export function embeddedKindOf(content: Buffer): Embedded | undefined {
  if (readHeaders(content) !== undefined) return 'pe';
  return MAGICS.find(([, magic]) => magic.equals(content.subarray(0, magic.length)))?.[0];
}

/** There may be thousands of resources, and few bytes suffice. */
const ZLIB_TRIAL_BYTES = 256;

/**
 * Resources may also be packed with zlib. In overlays zlib is ignored, since packers write many
 * such parts.
 */
export function resourceKindOf(content: Buffer): Embedded | undefined {
  const isPacked = isZlib(content.subarray(0, ZLIB_TRIAL_BYTES));
  return isPacked ? 'archive' : embeddedKindOf(content);
}

/** Whether the DOS header points to a newer header that is missing. */
export function isBrokenMz(bytes: Buffer): boolean {
  const reader = new Reader(bytes);
  const isPlainDos = (reader.u16(0x18) ?? 0) < 0x40 && (reader.u32(0x3c) ?? 0) === 0;
  const newer = reader.slice(reader.u32(0x3c) ?? 0, 2)?.toString('latin1') ?? '';
  return !isPlainDos && !['NE', 'LE', 'LX'].includes(newer);
}

const ZEROS = Buffer.alloc(64 * 1024);

/** Only zeros: padding of any length. */
export function isBlank(content: Buffer): boolean {
  for (let at = 0; at < content.length; at += ZEROS.length) {
    const piece = content.subarray(at, at + ZEROS.length);
    if (!piece.equals(ZEROS.subarray(0, piece.length))) return false;
  }
  return true;
}
