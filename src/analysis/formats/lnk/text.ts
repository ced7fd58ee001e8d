import type { Reader } from '../../reader.ts';

/** UTF-16LE text before the next zero, out of at most `most` bytes. */
export function wideText(reader: Reader, at: number, most: number): string {
  const text = reader.upTo(at, most).toString('utf16le');
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}
