import { Reader } from '../../reader.ts';
import { formatWindowsTime } from '../ole/properties.ts';
import { type LinkExtras, readExtras } from './extras.ts';
import { readIdList } from './id-list.ts';
import { wideText } from './text.ts';

/**
 * Windows shortcuts. [MS-SHLLINK] 2.1 to 2.4.
 *
 * | offset | bytes | header                                                 |
 * |--------|-------|--------------------------------------------------------|
 * | 0x00   | 4     | 0x4C, its length                                       |
 * | 0x04   | 16    | CLSID 00021401-0000-0000-C000-000000000046             |
 * | 0x14   | 4     | flags: which of the following parts are present        |
 * | 0x1C   | 24    | created, accessed, written (Windows times)             |
 * | 0x34   | 4     | size of the target                                     |
 * | 0x3C   | 4     | window state: 1 normal, 3 maximised, 7 minimised       |
 *
 * Then, each if its flag is set: the item list of the target (u16 length), the link information
 * (u32 length), five counted strings (u16 characters each), and extra blocks until one shorter than
 * four bytes.
 */
export interface Shortcut {
  readonly target: string;
  readonly name: string;
  readonly relativePath: string;
  readonly workingFolder: string;
  readonly arguments: string;
  readonly argumentsOffset: number | undefined;
  readonly icon: string;
  readonly created: string | undefined;
  readonly accessed: string | undefined;
  readonly written: string | undefined;
  readonly targetBytes: number;
  readonly showCommand: number;
  readonly volumeSerial: string;
  readonly extras: LinkExtras;
  /** The end of the shortcut; later bytes are an overlay. */
  readonly end: number;
}

const HEADER_BYTES = 0x4c;
const HEADER = Buffer.from('4c0000000114020000000000c000000000000046', 'hex');
const MAX_PATH = 2048;
const HAS = { idList: 1, info: 2, unicode: 0x80 } as const;
const STRINGS = [
  ['name', 0x04],
  ['relativePath', 0x08],
  ['workingFolder', 0x10],
  ['arguments', 0x20],
  ['icon', 0x40],
] as const;

export function isShortcut(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes.subarray(0, HEADER.length).equals(HEADER);
}

export function parseShortcut(bytes: Buffer): Shortcut | undefined {
  if (!isShortcut(bytes)) return undefined;
  const reader = new Reader(bytes);
  const flags = reader.u32(0x14) ?? 0;
  let at = HEADER_BYTES;
  let idPath = '';
  if ((flags & HAS.idList) !== 0) {
    const length = reader.u16(at) ?? 0;
    idPath = readIdList(reader.upTo(at + 2, length));
    at += 2 + length;
  }
  let info: LinkInfo = { path: '', volumeSerial: '' };
  if ((flags & HAS.info) !== 0) {
    const length = reader.u32(at) ?? 0;
    info = readLinkInfo(new Reader(reader.upTo(at, length)));
    at += length;
  }
  const strings = readStrings(reader, at, flags);
  const extras = readExtras(reader, strings.end);
  return {
    target: info.path || idPath || extras.environmentTarget || strings.texts.relativePath,
    ...strings.texts,
    argumentsOffset: strings.argumentsOffset,
    created: formatWindowsTime(reader, 0x1c),
    accessed: formatWindowsTime(reader, 0x24),
    written: formatWindowsTime(reader, 0x2c),
    targetBytes: reader.u32(0x34) ?? 0,
    showCommand: reader.u32(0x3c) ?? 0,
    volumeSerial: info.volumeSerial,
    extras,
    end: extras.end,
  };
}

interface LinkInfo {
  readonly path: string;
  readonly volumeSerial: string;
}

/** Its offsets are relative to its own start. */
function readLinkInfo(reader: Reader): LinkInfo {
  const textAt = (field: number) => {
    const at = reader.u32(field) ?? 0;
    return at === 0 ? '' : (reader.text(at, MAX_PATH) ?? '');
  };
  const volumeAt = reader.u32(12) ?? 0;
  const networkAt = reader.u32(20) ?? 0;
  const serial = volumeAt === 0 ? undefined : reader.u32(volumeAt + 8);
  const share = networkAt === 0 ? '' : shareName(reader, networkAt);
  const suffix = textAt(24);
  const base = ((reader.u32(4) ?? 0) >= 0x24 && wideTextAt(reader, 28)) || textAt(16);
  return {
    path: base === '' && share !== '' ? `${share}\\${suffix}` : `${base}${suffix}`,
    volumeSerial: serial === undefined ? '' : serial.toString(16).padStart(8, '0'),
  };
}

function shareName(reader: Reader, at: number): string {
  const nameAt = reader.u32(at + 8) ?? 0;
  return nameAt === 0 ? '' : (reader.text(at + nameAt, MAX_PATH) ?? '');
}

function wideTextAt(reader: Reader, field: number): string {
  const at = reader.u32(field) ?? 0;
  return at === 0 ? '' : wideText(reader, at, MAX_PATH * 2);
}

type Texts = Record<(typeof STRINGS)[number][0], string>;

function readStrings(
  reader: Reader,
  start: number,
  flags: number,
): { texts: Texts; argumentsOffset: number | undefined; end: number } {
  const texts: Texts = { name: '', relativePath: '', workingFolder: '', arguments: '', icon: '' };
  const unicode = (flags & HAS.unicode) !== 0;
  let argumentsOffset: number | undefined;
  let at = start;
  for (const [field, flag] of STRINGS) {
    if ((flags & flag) === 0) continue;
    const length = (reader.u16(at) ?? 0) * (unicode ? 2 : 1);
    texts[field] = reader.upTo(at + 2, length).toString(unicode ? 'utf16le' : 'latin1');
    if (field === 'arguments') argumentsOffset = at + 2;
    at += 2 + length;
  }
  return { texts, argumentsOffset, end: at };
}
