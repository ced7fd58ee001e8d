import { readSync, writeSync } from 'node:fs';

/**
 * The protocol between the pool and its workers, over pipes. A frame is:
 *
 *   length u32le | header: JSON of that length | header.sizeBytes raw bytes (0 if absent)
 *
 * The worker reads and writes synchronously: it processes one request at a time.
 */
export interface FrameHeader {
  readonly sizeBytes?: number | undefined;
}

const LENGTH_BYTES = 4;

/** A frame without its body. */
export function encodeHeader(header: FrameHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + json.length);
  frame.writeUInt32LE(json.length, 0);
  json.copy(frame, LENGTH_BYTES);
  return frame;
}

/** Reads the next frame from a descriptor; `undefined` at the end of the stream. */
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

/** The message of Node's own exception quotes the input, which may contain bytes of a sample. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new SyntaxError('a response is not valid JSON');
  }
}

/** Reassembles frames without a body from the chunks of a stream. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the headers that are complete. Throws if one is too long or not valid JSON. */
  push(chunk: Buffer): readonly unknown[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const headers: unknown[] = [];
    for (let end = this.#endOfFirst(); end !== undefined; end = this.#endOfFirst()) {
      const bytes = this.#joined();
      headers.push(parse(bytes.toString('utf8', LENGTH_BYTES, end)));
      this.#chunks = [bytes.subarray(end)];
      this.#size = bytes.length - end;
    }
    return headers;
  }

  #endOfFirst(): number | undefined {
    if (this.#size < LENGTH_BYTES) return undefined;
    const first = this.#chunks[0];
    const head = first !== undefined && first.length >= LENGTH_BYTES ? first : this.#joined();
    const length = head.readUInt32LE(0);
    if (length > this.#maxBytes) throw new Error(`a response of ${length} bytes is too long`);
    return this.#size >= LENGTH_BYTES + length ? LENGTH_BYTES + length : undefined;
  }

  #joined(): Buffer {
    const [only] = this.#chunks;
    if (only !== undefined && this.#chunks.length === 1) return only;
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }
}
