import { constants, createGunzip, createInflate, createInflateRaw, inflateSync } from 'node:zlib';

export interface Inflated {
  readonly bytes: Buffer;
  /** Whether the output was longer than `maxBytes`. */
  readonly cut: boolean;
}

export type DeflateFormat = 'zlib' | 'raw' | 'gzip';

const OPENERS = { zlib: createInflate, raw: createInflateRaw, gzip: createGunzip } as const;

/**
 * Inflates at most `maxBytes`. Damaged or truncated input yields the output before the damage:
 * readers of documents and scripts are as tolerant, and hostile content relies on it.
 */
export function inflateAtMost(
  packed: Buffer,
  kind: DeflateFormat,
  maxBytes: number,
): Promise<Inflated> {
  return new Promise((resolve) => {
    const stream = OPENERS[kind]({ finishFlush: constants.Z_SYNC_FLUSH });
    const parts: Buffer[] = [];
    let length = 0;
    const finish = (cut: boolean) => {
      resolve({ bytes: Buffer.concat(parts).subarray(0, maxBytes), cut });
      stream.destroy();
    };
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length > maxBytes) finish(true);
    });
    stream.on('end', () => finish(false));
    stream.on('error', () => {
      // Node treats bytes after a gzip member as another member, and loses the last chunk on its
      // error.
      const deflated = kind === 'gzip' ? behindGzipHeader(packed) : undefined;
      if (deflated === undefined) finish(false);
      else resolve(inflateAtMost(deflated, 'raw', maxBytes));
    });
    stream.end(packed);
  });
}

const GZIP_HEADER_BYTES = 10;
const GZIP_FLAGS = { checksum: 2, extra: 4, name: 8, comment: 16 } as const;

/**
 * The deflated data after the header of the first gzip member (RFC 1952):
 *
 *   0   1f 8b, u8 method, u8 flags, u32 time, u8 extra flags, u8 system
 *   10  each if its flag is set: extra field (u16 length, bytes), name and comment
 *       (zero-terminated), u16 checksum of the header
 */
export function behindGzipHeader(bytes: Buffer): Buffer | undefined {
  const flags = bytes[3] ?? 0;
  let at = GZIP_HEADER_BYTES;
  if (flags & GZIP_FLAGS.extra) at += 2 + ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
  for (const text of [GZIP_FLAGS.name, GZIP_FLAGS.comment]) {
    const end = flags & text ? bytes.indexOf(0, at) : at - 1;
    if (flags & text && end === -1) return undefined;
    at = end + 1;
  }
  if (flags & GZIP_FLAGS.checksum) at += 2;
  return at < bytes.length ? bytes.subarray(at) : undefined;
}

const ZLIB_TRIAL_BYTES = 4096;

/** The header has few fixed bits, so some data must inflate. */
export function isZlib(bytes: Buffer): boolean {
  const head = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (head >> 8 !== 0x78 || head % 31 !== 0) return false;
  try {
    const start = bytes.subarray(0, ZLIB_TRIAL_BYTES);
    // The flush avoids an error on truncated input. At most 4 MB can come out.
    const trial = inflateSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
    return trial.length > 0;
  } catch {
    return false;
  }
}
