/**
 * Bounds-checked access to hostile bytes. A read that is not entirely inside the buffer returns
 * `undefined`; it never throws.
 */
export class Reader {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  /** Whether all of these bytes exist. */
  has(offset: number, count: number): boolean {
    return (
      Number.isSafeInteger(offset) && offset >= 0 && count >= 0 && offset + count <= this.length
    );
  }

  u8(offset: number): number | undefined {
    return this.has(offset, 1) ? this.bytes[offset] : undefined;
  }

  u16(offset: number, bigEndian = false): number | undefined {
    if (!this.has(offset, 2)) return undefined;
    return bigEndian ? this.bytes.readUInt16BE(offset) : this.bytes.readUInt16LE(offset);
  }

  u32(offset: number, bigEndian = false): number | undefined {
    if (!this.has(offset, 4)) return undefined;
    return bigEndian ? this.bytes.readUInt32BE(offset) : this.bytes.readUInt32LE(offset);
  }

  /** Offsets and sizes above 2^53 lose precision, but lie outside of any file in any case. */
  u64(offset: number, bigEndian = false): number | undefined {
    if (!this.has(offset, 8)) return undefined;
    return Number(
      bigEndian ? this.bytes.readBigUInt64BE(offset) : this.bytes.readBigUInt64LE(offset),
    );
  }

  /** Exactly `count` bytes, or `undefined`. */
  slice(offset: number, count: number): Buffer | undefined {
    return this.has(offset, count) ? this.bytes.subarray(offset, offset + count) : undefined;
  }

  /** At most `count` bytes: fewer at the end of the buffer. */
  upTo(offset: number, count: number): Buffer {
    if (!Number.isSafeInteger(offset) || offset < 0 || count <= 0) return this.bytes.subarray(0, 0);
    return this.bytes.subarray(offset, Math.min(offset + count, this.length));
  }

  /** The text up to the next zero byte, at most `maxBytes` long. */
  text(offset: number, maxBytes: number, encoding: BufferEncoding = 'latin1'): string | undefined {
    if (!this.has(offset, 0)) return undefined;
    const window = this.upTo(offset, maxBytes);
    const end = window.indexOf(0);
    return window.toString(encoding, 0, end === -1 ? window.length : end);
  }
}
