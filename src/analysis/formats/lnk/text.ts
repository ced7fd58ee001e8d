import type { Reader } from '../../reader.ts';

/** UTF-16LE text up to the next zero, from at most `maxBytes` bytes. */
export function wideText(reader: Reader, at: number, maxBytes: number): string {
  const text = reader.upTo(at, maxBytes).toString('utf16le');
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}
