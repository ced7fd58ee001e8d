import { createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { behindGzipHeader } from '../../codecs/inflate.ts';

/** How much may still come out, and whether there is time for it. */
export interface Room {
  readonly bytes: number;
  isOver(): boolean;
}

/** What came out of one packed stream, whatever its header promised. */
export interface Unpacked {
  readonly bytes: Buffer;
  /** `limit`: there was more than should come out; `damaged`: what is here came before the damage. */
  readonly end: 'whole' | 'damaged' | 'limit';
  /** How much packed input was used up for it. */
  readonly packedBytes: number;
}

const BOMB_FROM_BYTES = 10_000_000;
const BOMB_RATIO = 1000;

/** Whether so much came out of so little that it is not worth going on. */
export function isBomb(unpackedBytes: number, packedBytes: number, ratio = BOMB_RATIO): boolean {
  return unpackedBytes > BOMB_FROM_BYTES && unpackedBytes > packedBytes * ratio;
}

const FIRST_CAPACITY = 16 * 1024;
/** A declared size is believed up to here; beyond, room is made as bytes come. */
const MOST_BELIEVED = 32 * 1024 * 1024;

/** Bytes that come in pieces, up to a limit. */
export class ByteCollector {
  readonly #most: number;
  #store: Buffer;
  #length = 0;

  constructor(most: number, expected = FIRST_CAPACITY) {
    this.#most = most;
    this.#store = Buffer.alloc(Math.max(0, Math.min(expected, most, MOST_BELIEVED)));
  }

  get length(): number {
    return this.#length;
  }

  /** Takes the piece, or as much of it as there is room for; then `false`. */
  add(piece: Uint8Array): boolean {
    const fitting = Math.min(piece.length, this.#most - this.#length);
    this.#reserve(this.#length + fitting);
    this.#store.set(fitting === piece.length ? piece : piece.subarray(0, fitting), this.#length);
    this.#length += fitting;
    return fitting === piece.length;
  }

  /** Without a copy where little of the store is unused. */
  bytes(): Buffer {
    const bytes = this.#store.subarray(0, this.#length);
    return this.#length * 2 < this.#store.length ? Buffer.from(bytes) : bytes;
  }

  #reserve(length: number): void {
    if (length <= this.#store.length) return;
    const capacity = Math.max(length, this.#store.length * 2, FIRST_CAPACITY);
    const larger = Buffer.alloc(Math.min(capacity, this.#most));
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

/** Unpacks piece by piece and counts what really comes; never fails. */
export function decompress(
  { bytes, coding, expectedBytes }: Packed,
  room: Room,
): Promise<Unpacked> {
  const collector = new ByteCollector(room.bytes, expectedBytes);
  // Small pieces for small content: what was decoded of a piece before an error is lost.
  const stream = DECODERS[coding]({ chunkSize: bytes.length > 1 << 20 ? 1 << 18 : 1 << 14 });
  return new Promise((resolve) => {
    const finish = (end: Unpacked['end']) => {
      resolve({ bytes: collector.bytes(), end, packedBytes: stream.bytesWritten });
      stream.destroy();
    };
    // A listener gets every piece before an error; iterating would drop those that wait.
    stream.on('data', (piece: Buffer) => {
      const fits = collector.add(piece);
      if (!fits || isBomb(collector.length, stream.bytesWritten) || room.isOver()) finish('limit');
    });
    stream.on('end', () => finish('whole'));
    stream.on('error', async () => {
      // Something else behind gzip is an error, too: then its first member is whole.
      const deflated = coding === 'gzip' ? behindGzipHeader(bytes) : undefined;
      const first = deflated && (await decompress({ bytes: deflated, coding: 'raw' }, room));
      if (first && first.bytes.length > collector.length) resolve(first);
      else finish('damaged');
    });
    stream.end(bytes);
  });
}
