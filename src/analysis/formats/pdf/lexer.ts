/**
 * Splits a PDF into tokens. ISO 32000-1, 7.2 and 7.3.
 *
 * | token   | syntax                                                                   |
 * |---------|--------------------------------------------------------------------------|
 * | name    | `/Java#53cript`: a slash and regular characters, `#` with two hex digits |
 * | string  | `(text)` with nested brackets and backslash escapes, or `<48656C6C6F>`   |
 * | mark    | `<<`, `>>`, `[`, `]`, `{`, `}`                                           |
 * | number  | digits only; others (`-1.5`) are not needed and are returned as words    |
 * | word    | a keyword: any other run without white space                             |
 *
 * No byte is read more than twice: an unterminated string is not searched again.
 */
export type TokenKind = 'name' | 'string' | 'number' | 'mark' | 'word' | 'end';

const WHITE = 1;
const DELIMITER = 2;
const CLASSES = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32]) CLASSES[code] = WHITE;
for (const character of '()<>[]{}/%') CLASSES[character.charCodeAt(0)] = DELIMITER;

const MAX_WORD = 32;
const MAX_DIGITS = 12;
const MAX_NAME = 256;
const MAX_STRING_BYTES = 1024 * 1024;

export class PdfLexer {
  readonly bytes: Buffer;
  /** The offset of the next token; a caller may move it forward. */
  at = 0;
  kind: TokenKind = 'end';
  /** The name without its slash, the word or the mark. `stringAt` decodes a string on demand. */
  text = '';
  /** The value of a number; its text is not created, as there may be millions. */
  value = 0;
  /** The offset of the token. */
  start = 0;
  /** Whether a name has an escaped letter or digit (`#xx`), which only serves obfuscation. */
  disguised = false;
  #endlessString = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Moves to the next token; `false` at the end. */
  next(): boolean {
    this.#skipBlank();
    this.start = this.at;
    const code = this.bytes[this.at];
    if (code === undefined) {
      this.kind = 'end';
      return false;
    }
    if (CLASSES[code] !== DELIMITER) this.#readWord();
    else if (code === 0x2f) this.#readName();
    else if (code === 0x28 && !this.#endlessString) this.#readString();
    else this.#readMarkOrHex(code);
    return true;
  }

  #skipBlank(): void {
    const { bytes } = this;
    for (let code = bytes[this.at]; code !== undefined; code = bytes[this.at]) {
      if (code === 0x25) this.#skipComment();
      else if (CLASSES[code] === WHITE) this.at += 1;
      else return;
    }
  }

  #skipComment(): void {
    const { bytes } = this;
    while (this.at < bytes.length && bytes[this.at] !== 10 && bytes[this.at] !== 13) this.at += 1;
  }

  #readWord(): void {
    this.#skipRegular();
    const value = this.#digits();
    if (value !== undefined) {
      this.kind = 'number';
      this.value = value;
      return;
    }
    this.kind = 'word';
    const end = Math.min(this.at, this.start + MAX_WORD);
    this.text = this.bytes.toString('latin1', this.start, end);
  }

  #digits(): number | undefined {
    const { bytes } = this;
    if (this.at - this.start > MAX_DIGITS) return undefined;
    let value = 0;
    for (let at = this.start; at < this.at; at += 1) {
      const digit = (bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    return value;
  }

  #readName(): void {
    this.kind = 'name';
    this.at += 1;
    this.#skipRegular();
    const raw = this.bytes.toString(
      'latin1',
      this.start + 1,
      Math.min(this.at, this.start + MAX_NAME),
    );
    this.disguised = false;
    if (!raw.includes('#')) {
      this.text = raw;
      return;
    }
    this.text = raw.replace(/#([0-9a-fA-F]{2})/g, (_: string, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      this.disguised ||= /[A-Za-z0-9]/.test(character);
      return character;
    });
  }

  #skipRegular(): void {
    const { bytes } = this;
    while (this.at < bytes.length && CLASSES[bytes[this.at] ?? 0] === 0) this.at += 1;
  }

  #readMarkOrHex(code: number): void {
    const doubled = this.bytes[this.at + 1] === code;
    if (code === 0x3c && !doubled) {
      this.#readHex();
      return;
    }
    this.kind = 'mark';
    const bracket = String.fromCharCode(code);
    this.text = doubled && (code === 0x3c || code === 0x3e) ? bracket + bracket : bracket;
    this.at += this.text.length;
  }

  /** The bytes of the string in this range, as Latin-1. */
  stringAt(start: number, end: number): string {
    const isHex = this.bytes[start] === 0x3c;
    // A hexadecimal string may lack its end; other characters are dropped anyway.
    const last = Math.min(isHex ? end : end - 1, start + MAX_STRING_BYTES);
    const raw = this.bytes.toString('latin1', start + 1, Math.max(last, start + 1));
    if (isHex) return Buffer.from(raw.replace(/[^0-9a-fA-F]/g, ''), 'hex').toString('latin1');
    return raw.includes('\\') ? withoutEscapes(raw) : raw;
  }

  #readHex(): void {
    this.kind = 'string';
    this.at += 1;
    const { bytes } = this;
    while (this.at < bytes.length && isHexOrBlank(bytes[this.at] ?? 0)) this.at += 1;
    if (bytes[this.at] === 0x3e) this.at += 1;
  }

  #readString(): void {
    const end = this.#endOfString();
    if (end === undefined) {
      this.#endlessString = true;
      this.#readMarkOrHex(0x28);
      return;
    }
    this.kind = 'string';
    this.at = end + 1;
  }

  #endOfString(): number | undefined {
    const { bytes } = this;
    let depth = 1;
    for (let at = this.at + 1; at < bytes.length; at += 1) {
      const code = bytes[at];
      if (code === 0x5c) at += 1;
      else if (code === 0x28) depth += 1;
      else if (code === 0x29) {
        depth -= 1;
        if (depth === 0) return at;
      }
    }
    return undefined;
  }
}

function isHexOrBlank(code: number): boolean {
  return (
    CLASSES[code] === WHITE ||
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x46) ||
    (code >= 0x61 && code <= 0x66)
  );
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '\n': '',
  '\r': '',
};

function withoutEscapes(raw: string): string {
  return raw.replace(
    /\\(?:([0-7]{1,3})|\r\n|([\s\S]))/g,
    (_: string, octal?: string, character?: string) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return character === undefined ? '' : (ESCAPES[character] ?? character);
    },
  );
}
