import { Reader } from '../../reader.ts';

/**
 * The stream `\x05SummaryInformation`. [MS-OLEPS] 2.21 and 2.15 to 2.18.
 *
 * | offset    | content                                                           |
 * |-----------|-------------------------------------------------------------------|
 * | 0         | FE FF                                                             |
 * | 44        | u32 offset of the first property set                              |
 * | set + 4   | u32 count, then for each: u32 property, u32 offset in the set     |
 * | property  | u32 type: 30 text (u32 length, bytes), 64 time, 3 integer         |
 */
export interface SummaryInformation {
  readonly [name: string]: string;
}

const NAMES: Readonly<Record<number, string>> = {
  2: 'title',
  3: 'subject',
  4: 'author',
  5: 'keywords',
  6: 'comments',
  7: 'template',
  8: 'lastAuthor',
  12: 'created',
  13: 'saved',
  18: 'application',
};
const MAX_PROPERTIES = 64;
const MAX_TEXT = 512;
const TEXT = 30;
const TIME = 64;
/** Windows counts from 1601, in units of 100 nanoseconds. */
const EPOCH_DIFFERENCE_MS = 11_644_473_600_000;

export function parseSummaryInformation(bytes: Buffer): SummaryInformation {
  const reader = new Reader(bytes);
  const set = reader.u16(0) === 0xfffe ? reader.u32(44) : undefined;
  if (set === undefined) return {};
  const properties: Record<string, string> = {};
  const count = Math.min(reader.u32(set + 4) ?? 0, MAX_PROPERTIES);
  for (let index = 0; index < count; index += 1) {
    const name = NAMES[reader.u32(set + 8 + index * 8) ?? 0];
    const at = reader.u32(set + 12 + index * 8);
    const value = name === undefined || at === undefined ? undefined : readValue(reader, set + at);
    if (name !== undefined && value !== undefined && value !== '') properties[name] = value;
  }
  return properties;
}

function readValue(reader: Reader, at: number): string | undefined {
  const type = reader.u32(at);
  if (type === TIME) return formatWindowsTime(reader, at + 4);
  if (type !== TEXT) return undefined;
  return reader.text(at + 8, Math.min(reader.u32(at + 4) ?? 0, MAX_TEXT), 'utf8');
}

/** `undefined` for zero and for years outside of the range of `Date`. */
export function formatWindowsTime(reader: Reader, at: number): string | undefined {
  const ticks = reader.u64(at);
  if (ticks === undefined || ticks === 0) return undefined;
  const date = new Date(ticks / 10_000 - EPOCH_DIFFERENCE_MS);
  const year = date.getUTCFullYear();
  return year >= 1601 && year < 10_000 ? `${date.toISOString().slice(0, 19)}Z` : undefined;
}
