import { invalid, type Problem } from '../../domain/problem.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NO_BYTES = Buffer.alloc(0);

export interface NumberedLine {
  /** Counted from 1, empty lines included. */
  readonly line: number;
  /** Truncated if the line is too long, but still longer than the limit. */
  readonly bytes: Buffer;
}

/**
 * Splits a stream of NDJSON into lines. Lines that arrive in one chunk are yielded together. Empty
 * lines are skipped but counted.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<readonly NumberedLine[]> {
  const splitter = new LineSplitter(maxBytes);
  for await (const chunk of stream) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

/** The refusal of a body without lines. */
export function emptyBody(): Problem {
  return invalid('invalid_body', ['The body is empty: send one JSON object per line.']);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Wraps the value, because a line may be `null`. Returns `undefined` if it is not JSON in UTF-8.
 */
export function parseJsonLine(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(UTF8.decode(bytes)) };
  } catch {
    return undefined;
  }
}

class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;
  #line = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): NumberedLine[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: NumberedLine[] = [];
    let start = this.#skipBlankLines(bytes, 0);
    for (let end = bytes.indexOf(LINE_FEED, start); end !== -1; ) {
      this.#endLine(bytes.subarray(start, end), lines);
      start = this.#skipBlankLines(bytes, end + 1);
      end = bytes.indexOf(LINE_FEED, start);
    }
    this.#append(bytes.subarray(start));
    return lines;
  }

  /**
   * Returns the index of the first non-empty line. Skipping in a tight loop keeps millions of empty
   * lines cheap.
   */
  #skipBlankLines(bytes: Buffer, from: number): number {
    if (this.#length > 0) return from;
    let index = from;
    while (bytes[index] === LINE_FEED) index += 1;
    this.#line += index - from;
    return index;
  }

  /** Returns the line read so far, unless it is empty. */
  end(): NumberedLine[] {
    const lines: NumberedLine[] = [];
    this.#endLine(NO_BYTES, lines);
    return lines;
  }

  /** Adds the line, which ends with `part`, unless it is empty. Most lines are not copied. */
  #endLine(part: Buffer, lines: NumberedLine[]): void {
    let bytes = part;
    if (this.#parts.length > 0) {
      this.#append(part);
      bytes = Buffer.concat(this.#parts);
      this.#parts = [];
    }
    this.#length = 0;
    this.#line += 1;
    const isEmpty = bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN);
    if (!isEmpty) lines.push({ line: this.#line, bytes });
  }

  #append(part: Buffer): void {
    if (part.length > 0 && this.#length <= this.#maxBytes) this.#parts.push(part);
    this.#length += part.length;
  }
}
