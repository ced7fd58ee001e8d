import type { Reader } from '../../reader.ts';
import { formatGuid } from '../ole/file.ts';
import { wideText } from './text.ts';

/**
 * Blocks after a shortcut's strings: u32 length, u32 signature, content. [MS-SHLLINK] 2.5.
 *
 * | signature  | content                                                              |
 * |------------|----------------------------------------------------------------------|
 * | 0xA0000001 | the target with environment variables: 260 bytes, then 520 UTF-16LE  |
 * | 0xA0000003 | at 16 the machine's name, at 80 the file's GUID as it was made       |
 */
export interface LinkExtras {
  readonly environmentTarget: string;
  readonly machine: string;
  /** The MAC address, which ends a version 1 GUID. */
  readonly macAddress: string;
  readonly blockCount: number;
  readonly end: number;
}

const MAX_BLOCKS = 64;
const ENVIRONMENT = 0xa0000001;
const TRACKER = 0xa0000003;

export function readExtras(reader: Reader, start: number): LinkExtras {
  let environmentTarget = '';
  let machine = '';
  let macAddress = '';
  let blockCount = 0;
  let at = start;
  while (blockCount < MAX_BLOCKS) {
    const length = reader.u32(at);
    // Four zero bytes end the list, and are part of it.
    if (length === undefined || length < 8) break;
    const signature = reader.u32(at + 4);
    if (signature === ENVIRONMENT) environmentTarget = readEnvironment(reader, at);
    if (signature === TRACKER) {
      machine = reader.text(at + 16, 16) ?? '';
      macAddress = readMacAddress(formatGuid(reader.upTo(at + 80, 16)));
    }
    at += length;
    blockCount += 1;
  }
  const end = Math.min(reader.has(at, 4) ? at + 4 : at, reader.length);
  return { environmentTarget, machine, macAddress, blockCount, end };
}

function readEnvironment(reader: Reader, at: number): string {
  return wideText(reader, at + 268, 520) || (reader.text(at + 8, 260) ?? '');
}

function readMacAddress(guid: string): string {
  if (guid[14] !== '1') return '';
  return (guid.slice(-12).match(/../g) ?? []).join(':');
}
