import { createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { behindGzipHeader } from '../../codecs/inflate.ts';

/** How many bytes may still be unpacked, and whether the time is over. */
export interface UnpackLimits {
  readonly bytes: number;
  isOver(): boolean;
}

/** The output of one packed stream, regardless of the sizes that its header states. */
export interface Unpacked {
  readonly bytes: Buffer;
  /** `limit`: the output was cut; `damaged`: the output ends before the damage. */
  readonly end: 'whole' | 'damaged' | 'limit';
  /** The packed input that was consumed. */
  readonly packedBytes: number;
}

const BOMB_FROM_BYTES = 10_000_000;
const BOMB_RATIO = 1000;

/** Whether the ratio of output to input is that of a decompression bomb. */
export function isBomb(unpackedBytes: number, packedBytes: number, ratio = BOMB_RATIO): boolean {
  return unpackedBytes > BOMB_FROM_BYTES && unpackedBytes > packedBytes * ratio;
}

const FIRST_CAPACITY = 16 * 1024;
/**
 * Up to this size a declared size is allocated at once; beyond, the buffer grows with the output.
 */
const MAX_PREALLOCATED_BYTES = 32 * 1024 * 1024;

/** Collects chunks up to a limit. */
export class ByteCollector {
  readonly #maxBytes: number;
  #store: Buffer;
  #length = 0;

  constructor(maxBytes: number, expected = FIRST_CAPACITY) {
    this.#maxBytes = maxBytes;
    this.#store = Buffer.alloc(Math.max(0, Math.min(expected, maxBytes, MAX_PREALLOCATED_BYTES)));
  }

  get length(): number {
    return this.#length;
  }

  /** Adds the chunk, or as much of it as fits; then returns `false`. */
  add(chunk: Uint8Array): boolean {
    const fittingBytes = Math.min(chunk.length, this.#maxBytes - this.#length);
    this.#reserve(this.#length + fittingBytes);
    this.#store.set(
      fittingBytes === chunk.length ? chunk : chunk.subarray(0, fittingBytes),
      this.#length,
    );
    this.#length += fittingBytes;
    return fittingBytes === chunk.length;
  }

  /** Avoids a copy if the buffer is nearly full. */
  bytes(): Buffer {
    const bytes = this.#store.subarray(0, this.#length);
    return this.#length * 2 < this.#store.length ? Buffer.from(bytes) : bytes;
  }

  #reserve(length: number): void {
    if (length <= this.#store.length) return;
    const capacity = Math.max(length, this.#store.length * 2, FIRST_CAPACITY);
    const larger = Buffer.alloc(Math.min(capacity, this.#maxBytes));
    this.#store.copy(larger, 0, 0, this.#length);
    this.#store = larger;
  }
}

const DECODERS = {
  raw: createInflateRaw,
  zlib: createInflate,
  gzip: createGunzip,
  zstd: createZstdDecompress,
} as const;

export type Coding = keyof typeof DECODERS;

export interface Packed {
  readonly bytes: Buffer;
  readonly coding: Coding;
  /** As declared: only a hint. */
  readonly expectedBytes?: number | undefined;
}

/** Unpacks chunk by chunk and counts the actual output; never throws. */
export function decompress(
  { bytes, coding, expectedBytes }: Packed,
  limits: UnpackLimits,
): Promise<Unpacked> {
  const collector = new ByteCollector(limits.bytes, expectedBytes);
  // Small chunks for small content: an error loses the output of the current chunk.
  const stream = DECODERS[coding]({ chunkSize: bytes.length > 1 << 20 ? 1 << 18 : 1 << 14 });
  return new Promise((resolve) => {
    const finish = (end: Unpacked['end']) => {
      resolve({ bytes: collector.bytes(), end, packedBytes: stream.bytesWritten });
      stream.destroy();
    };
    // Iterating the stream would drop buffered chunks on an error; a listener gets all of them.
    stream.on('data', (chunk: Buffer) => {
      const fits = collector.add(chunk);
      if (!fits || isBomb(collector.length, stream.bytesWritten) || limits.isOver())
        finish('limit');
    });
    stream.on('end', () => finish('whole'));
    stream.on('error', async () => {
      // Trailing data after gzip is also an error, although the first member is complete.
      const deflated = coding === 'gzip' ? behindGzipHeader(bytes) : undefined;
      const first = deflated && (await decompress({ bytes: deflated, coding: 'raw' }, limits));
      if (first && first.bytes.length > collector.length) resolve(first);
      else finish('damaged');
    });
    stream.end(bytes);
  });
}
