/**
 * Control characters are not part of a word, so a word at the edge of a content stays whole. Zero
 * bytes would be the second half of a wide character.
 */
const SEPARATOR = Buffer.alloc(16, 0x01);

/** Contents in one buffer, with separators before and after each. */
export class JoinedContents {
  readonly contents: readonly Buffer[];
  readonly bytes: Buffer;
  readonly #starts: number[] = [];

  constructor(contents: readonly Buffer[]) {
    this.contents = contents;
    let end = SEPARATOR.length;
    for (const { length } of contents) {
      this.#starts.push(end);
      end += length + SEPARATOR.length;
    }
    this.bytes = Buffer.concat([SEPARATOR, ...contents.flatMap((one) => [one, SEPARATOR])]);
  }

  /** The indexes of the contents that have bytes in a range of the buffer. */
  indexesIn(start: number, end: number): readonly number[] {
    const indexes: number[] = [];
    for (let index = this.#lastBefore(end); index >= 0; index -= 1) {
      const endsAt = (this.#starts[index] ?? 0) + (this.contents[index]?.length ?? 0);
      if (endsAt <= start) break;
      indexes.push(index);
    }
    return indexes;
  }

  /** The index of the last content that starts before that offset; -1 if there is none. */
  #lastBefore(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
