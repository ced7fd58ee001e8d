import { Reader } from '../../reader.ts';
import { wideText } from './text.ts';

/**
 * The path to a shortcut's target through the shell's folders: items of u16 length and content,
 * until a length of zero. [MS-SHLLINK] 2.2 leaves the content open; Windows writes:
 *
 * | first byte | content                                                                |
 * |------------|------------------------------------------------------------------------|
 * | 0x1F       | a root folder, by GUID                                                 |
 * | 0x2X       | a drive: `C:\` from the second byte on                                 |
 * | 0x3X       | a folder or file: short name at 12 (UTF-16LE with bit 2), then a block |
 * |            | with the signature BEEF0004 that ends with the long name               |
 * | 0x4X, 0xC3 | a share: its name at 3                                                 |
 */
const MAX_ITEMS = 64;
const MAX_NAME = 520;
const LONG_NAME_SIGNATURE = Buffer.from('0400efbe', 'hex');

/** As a path; empty if no item is known. */
export function readIdList(list: Buffer): string {
  const reader = new Reader(list);
  const names: string[] = [];
  let at = 0;
  for (let item = 0; item < MAX_ITEMS; item += 1) {
    const length = reader.u16(at) ?? 0;
    if (length < 3) break;
    const name = readItem(reader.upTo(at + 2, length - 2));
    if (name !== '') names.push(name.replace(/\\$/, ''));
    at += length;
  }
  return names.join('\\');
}

function readItem(item: Buffer): string {
  const reader = new Reader(item);
  const type = reader.u8(0) ?? 0;
  const group = type & 0x70;
  if (group === 0x20) return reader.text(1, 24) ?? '';
  if (group === 0x40) return reader.text(3, MAX_NAME) ?? '';
  if (group !== 0x30) return '';
  return readLongName(reader) || readShortName(reader, type);
}

function readShortName(reader: Reader, type: number): string {
  return (type & 0x04) === 0 ? (reader.text(12, MAX_NAME) ?? '') : wideText(reader, 12, MAX_NAME);
}

/** The fields before the name depend on the version of the block. */
function readLongName(reader: Reader): string {
  const signature = reader.bytes.indexOf(LONG_NAME_SIGNATURE);
  if (signature < 4) return '';
  const version = reader.u16(signature - 2) ?? 0;
  const fixed = 18 + (version >= 7 ? 18 : 0) + 2 + (version >= 9 ? 4 : 0) + (version >= 8 ? 4 : 0);
  return version < 3 ? '' : wideText(reader, signature - 4 + fixed, MAX_NAME);
}
