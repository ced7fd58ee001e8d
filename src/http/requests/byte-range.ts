/** The bytes from `start` up to, but not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

/**
 * The one range of a `Range` header, within `size` bytes (RFC 9110, section 14.1.2). `undefined`
 * for no header, several ranges or another unit: then the whole file is sent, as the RFC permits.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = RANGE.exec(header?.replaceAll(/[ \t]/g, '').toLowerCase() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = '', suffix = ''] = match;
  const start = suffix === '' ? Number(first) : Math.max(0, size - Number(suffix));
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  // A last position before the first makes the header invalid, and it is ignored.
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return start < end ? { start, end } : 'unsatisfiable';
}
