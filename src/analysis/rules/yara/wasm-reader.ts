/** A section of a WebAssembly module: where it is, and where its content starts and ends. */
export interface WasmSection {
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** A function: where the length of its body is, its first instruction, its end. */
export interface WasmFunction {
  readonly start: number;
  readonly instructions: number;
  readonly end: number;
}

export const SECTION = { imports: 2, globals: 6, exports: 7, code: 10 } as const;
export type SectionName = keyof typeof SECTION;

const HEADER_BYTES = 8;
const FUNCTION = 0;
/** Value types below need more than one byte. */
const LEAST_SHORT_TYPE = 0x40;

/** Reads as much of the binary format of WebAssembly as is needed to find functions. */
export class WasmReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The sections by their ids. */
  sections(): ReadonlyMap<number, WasmSection> {
    const sections = new Map<number, WasmSection>();
    for (let at = HEADER_BYTES; at < this.#bytes.length; ) {
      this.#at = at + 1;
      const length = this.#number();
      const start = this.#at;
      sections.set(this.#bytes[at] ?? 0, { at, start, end: start + length });
      at = start + length;
    }
    return sections;
  }

  /** The number at an offset, and the offset after it. */
  numberAt(at: number): { readonly value: number; readonly end: number } {
    this.#at = at;
    return { value: this.#number(), end: this.#at };
  }

  /** The number of imports; `undefined` if one is not a function. */
  functionImports({ start }: WasmSection): number | undefined {
    this.#at = start;
    const count = this.#number();
    for (let index = 0; index < count; index += 1) {
      this.#skip();
      this.#skip();
      if (this.#byte() !== FUNCTION) return undefined;
      this.#number();
    }
    return count;
  }

  /** The indexes of exported functions. */
  functionExports({ start }: WasmSection): ReadonlyMap<string, number> {
    const indexes = new Map<string, number>();
    this.#at = start;
    for (let left = this.#number(); left > 0; left -= 1) {
      const length = this.#number();
      const name = this.#bytes.toString('utf8', this.#at, this.#at + length);
      this.#at += length;
      const isFunction = this.#byte() === FUNCTION;
      const index = this.#number();
      if (isFunction) indexes.set(name, index);
    }
    return indexes;
  }

  /** The function at a position of the code section; `undefined` if it cannot be read. */
  function(code: WasmSection, position: number): WasmFunction | undefined {
    this.#at = code.start;
    const count = this.#number();
    if (position < 0 || position >= count) return undefined;
    for (let skipped = 0; skipped < position; skipped += 1) this.#skip();
    const start = this.#at;
    const length = this.#number();
    const end = this.#at + length;
    for (let groups = this.#number(); groups > 0; groups -= 1) {
      this.#number();
      if (this.#byte() < LEAST_SHORT_TYPE) return undefined;
    }
    return { start, instructions: this.#at, end };
  }

  #byte(): number {
    const byte = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return byte;
  }

  /** LEB128. */
  #number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  /** Skips something that is preceded by its length. */
  #skip(): void {
    const length = this.#number();
    this.#at += length;
  }
}
