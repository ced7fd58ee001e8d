import { readSync, writeSync } from 'node:fs';

/**
 * How the pool and its workers talk, over plain pipes:
 *
 *   length u32le | header, JSON of that length | header.sizeBytes raw bytes (0 where it says nothing)
 *
 * The worker reads and writes without an event loop in between: it has one thing to do at a time.
 */
export interface FrameHeader {
  readonly sizeBytes?: number | undefined;
}

const LENGTH_BYTES = 4;

export function encodeHeader(header: FrameHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + json.length);
  frame.writeUInt32LE(json.length, 0);
  json.copy(frame, LENGTH_BYTES);
  return frame;
}

/** The next frame from that descriptor, or nothing where the other side has ended. */
export function readFrame(fd: number): { header: unknown; body: Buffer } | undefined {
  const length = readExactly(fd, LENGTH_BYTES);
  if (length === undefined) return undefined;
  const json = readExactly(fd, length.readUInt32LE(0));
  if (json === undefined) return undefined;
  const header = JSON.parse(json.toString()) as FrameHeader;
  const body = readExactly(fd, header.sizeBytes ?? 0);
  return body && { header, body };
}

export function writeFrame(fd: number, header: FrameHeader): void {
  const frame = encodeHeader(header);
  for (let written = 0; written < frame.length; ) written += writeSync(fd, frame, written);
}

function readExactly(fd: number, count: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafeSlow(count);
  for (let filled = 0; filled < count; ) {
    const got = readSync(fd, bytes, filled, count - filled, null);
    if (got === 0) return undefined;
    filled += got;
  }
  return bytes;
}

/** What Node would say of it quotes the text, and that may be of a sample. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new SyntaxError('an answer is no JSON');
  }
}

/** Puts frames without a body together again from the pieces in which they arrive. */
export class FrameReader {
  readonly #mostBytes: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The headers that are whole by now. Throws on one that is too long or no JSON. */
  push(piece: Buffer): readonly unknown[] {
    this.#pieces.push(piece);
    this.#size += piece.length;
    const headers: unknown[] = [];
    for (let end = this.#endOfFirst(); end !== undefined; end = this.#endOfFirst()) {
      const bytes = this.#joined();
      headers.push(parse(bytes.toString('utf8', LENGTH_BYTES, end)));
      this.#pieces = [bytes.subarray(end)];
      this.#size = bytes.length - end;
    }
    return headers;
  }

  #endOfFirst(): number | undefined {
    if (this.#size < LENGTH_BYTES) return undefined;
    const first = this.#pieces[0];
    const head = first !== undefined && first.length >= LENGTH_BYTES ? first : this.#joined();
    const length = head.readUInt32LE(0);
    if (length > this.#mostBytes) throw new Error(`an answer of ${length} bytes is too long`);
    return this.#size >= LENGTH_BYTES + length ? LENGTH_BYTES + length : undefined;
  }

  #joined(): Buffer {
    const [only] = this.#pieces;
    if (only !== undefined && this.#pieces.length === 1) return only;
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [bytes];
    return bytes;
  }
}
