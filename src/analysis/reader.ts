/**
 * Reads numbers and texts out of hostile bytes. Whatever lies outside is `undefined`, never an exception and
 * never the neighbour's bytes.
 */
export class Reader {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  /** Whether these bytes are all there. */
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

  /** As a number: offsets and sizes beyond 2^53 are nonsense in a file, and lie outside all the same. */
  u64(offset: number, bigEndian = false): number | undefined {
    if (!this.has(offset, 8)) return undefined;
    return Number(
      bigEndian ? this.bytes.readBigUInt64BE(offset) : this.bytes.readBigUInt64LE(offset),
    );
  }

  /** Exactly that many bytes, or nothing. */
  slice(offset: number, count: number): Buffer | undefined {
    return this.has(offset, count) ? this.bytes.subarray(offset, offset + count) : undefined;
  }

  /** As many of the bytes as are there. */
  upTo(offset: number, count: number): Buffer {
    if (!Number.isSafeInteger(offset) || offset < 0 || count <= 0) return this.bytes.subarray(0, 0);
    return this.bytes.subarray(offset, Math.min(offset + count, this.length));
  }

  /** The text before the next zero byte, at most `most` bytes of it. */
  text(offset: number, most: number, encoding: BufferEncoding = 'latin1'): string | undefined {
    if (!this.has(offset, 0)) return undefined;
    const window = this.upTo(offset, most);
    const end = window.indexOf(0);
    return window.toString(encoding, 0, end === -1 ? window.length : end);
  }
}
