const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface NumberedLine {
  /** As an editor counts, from 1. */
  readonly line: number;
  /** Of a line that is too long only as much as shows that it is. */
  readonly bytes: Buffer;
}

/**
 * Cuts a stream of NDJSON into lines; those that came together are given together. Empty lines are passed over but
 * counted.
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

/** What a line says, in an envelope: a line may say `null`, but `undefined` means that it is no JSON in UTF-8. */
export function parseJsonLine(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Of `,`, `[` and `{`: each of them is followed by another value, or by none. */
const IS_SEPARATOR = new Uint8Array(256);
for (const separator of [0x2c, 0x5b, 0x7b]) IS_SEPARATOR[separator] = 1;

/**
 * Whether a line of JSON may hold more than so many values. It is asked before the line is parsed: empty objects take
 * twenty times as much memory as their text.
 */
export function hasMoreValues(bytes: Uint8Array, max: number): boolean {
  if (bytes.length <= max) return false;
  let count = 1;
  let isText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) index += 1;
    else if (!isText) count += IS_SEPARATOR[byte] ?? 0;
    if (count > max) return true;
  }
  return false;
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
      this.#append(bytes.subarray(start, end));
      lines.push(...this.end());
      start = this.#skipBlankLines(bytes, end + 1);
      end = bytes.indexOf(LINE_FEED, start);
    }
    this.#append(bytes.subarray(start));
    return lines;
  }

  /** Whoever sends millions of empty lines gets them counted, and no more. Where the first line begins that is not. */
  #skipBlankLines(bytes: Buffer, from: number): number {
    if (this.#length > 0) return from;
    let index = from;
    while (bytes[index] === LINE_FEED) index += 1;
    this.#line += index - from;
    return index;
  }

  /** The line as far as it has come, unless it is empty. */
  end(): NumberedLine[] {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    this.#line += 1;
    const isEmpty = bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN);
    return isEmpty ? [] : [{ line: this.#line, bytes }];
  }

  #append(part: Buffer): void {
    if (this.#length <= this.#maxBytes) this.#parts.push(part);
    this.#length += part.length;
  }
}
