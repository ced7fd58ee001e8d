/** A file as text. A character is `unitBytes` bytes of the file, so indices map to offsets. */
export interface ScriptText {
  readonly text: string;
  readonly unitBytes: 1 | 2;
  /** The offset of the first character, after a byte order mark. */
  readonly start: number;
  readonly truncated: boolean;
}

/** The part of a text that is read. Bounds the cost of very long lines. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
const SAMPLE_BYTES = 4096;

/**
 * UTF-8 and legacy code pages are read as Latin-1: all keywords are ASCII, and each byte stays one
 * character. `undefined` for content that is not text.
 */
export function parseScriptText(bytes: Buffer): ScriptText | undefined {
  if (bytes.length < 4) return undefined;
  const truncated = bytes.length > MAX_TEXT_BYTES;
  const window = bytes.subarray(0, MAX_TEXT_BYTES);
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return wide(window.subarray(2), 2, truncated);
  if (first === 0xfe && second === 0xff) return wide(swapped(window.subarray(2)), 2, truncated);
  if (isWide(window)) return wide(window, 0, truncated);
  const start = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
  if (!isPlain(window.subarray(start, SAMPLE_BYTES))) return undefined;
  return { text: window.toString('latin1', start), unitBytes: 1, start, truncated };
}

export function offsetIn({ start, unitBytes }: ScriptText, index: number): number {
  return start + index * unitBytes;
}

function wide(bytes: Buffer, start: number, truncated: boolean): ScriptText {
  return { text: bytes.toString('utf16le'), unitBytes: 2, start, truncated };
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
}

/** Latin text in UTF-16LE: exactly every second byte is zero. */
export function isWide(bytes: Buffer): boolean {
  const pairs = Math.min(bytes.length, SAMPLE_BYTES) >> 1;
  if (pairs < 4) return false;
  let fitting = 0;
  for (let pair = 0; pair < pairs; pair += 1) {
    if (bytes[pair * 2] !== 0 && bytes[pair * 2 + 1] === 0) fitting += 1;
  }
  return fitting >= pairs * 0.9;
}

/** No zero bytes, and hardly any control characters. */
export function isPlain(bytes: Buffer): boolean {
  let odd = 0;
  for (const code of bytes) {
    if (code === 0) return false;
    if (code < 0x20 && (code < 9 || code > 13)) odd += 1;
  }
  return bytes.length > 0 && odd <= bytes.length * 0.02;
}
