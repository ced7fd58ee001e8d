/** A table with 1 for the characters of a class such as `[a-z]`. */
export function bytesOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    characters.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}

export const WORD_BYTES = bytesOf(/[A-Za-z0-9]/);
export const LETTER_BYTES = bytesOf(/[A-Za-z]/);
export const DIGIT_BYTES = bytesOf(/[0-9]/);
export const HOST_BYTES = bytesOf(/[A-Za-z0-9._-]/);
export const LOCAL_BYTES = bytesOf(/[A-Za-z0-9._%+-]/);

/** Maps offsets in the scanned text to offsets in the file. */
export interface OffsetMapping {
  readonly origin: number;
  readonly step: 1 | 2;
}

/** A run of text under scan. No read crosses its ends. */
export class TextWindow {
  readonly bytes: Buffer;
  start = 0;
  end = 0;

  readonly #mapping: OffsetMapping;

  constructor(bytes: Buffer, mapping: OffsetMapping) {
    this.bytes = bytes;
    this.#mapping = mapping;
  }

  offset(at: number): number {
    return this.#mapping.origin + at * this.#mapping.step;
  }

  text(start: number, end: number): string {
    return this.bytes.toString('latin1', start, end);
  }

  isText(start: number, text: string): boolean {
    if (start < this.start || start + text.length > this.end) return false;
    for (let index = 0; index < text.length; index += 1) {
      if (this.bytes[start + index] !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  isWordAt(at: number): boolean {
    return at < this.end && WORD_BYTES[this.bytes[at] as number] === 1;
  }

  /** `lastIndexOf` would search back to the start of the file. */
  hasByte(start: number, end: number, byte: number): boolean {
    for (let at = end - 1; at >= start; at -= 1) if (this.bytes[at] === byte) return true;
    return false;
  }

  skipBack(from: number, maxLength: number, kind: Uint8Array): number {
    const lowest = Math.max(this.start, from - maxLength);
    let at = from;
    while (at > lowest && kind[this.bytes[at - 1] as number] === 1) at -= 1;
    return at;
  }

  skipForward(from: number, maxLength: number, kind: Uint8Array): number {
    const limit = Math.min(this.end, from + maxLength);
    let at = from;
    while (at < limit && kind[this.bytes[at] as number] === 1) at += 1;
    return at;
  }
}
