/**
 * Embedded objects in Rich Text Format. RTF specification 1.9.1, "Objects" and "Syntax".
 *
 * | text                | meaning                                                        |
 * |---------------------|----------------------------------------------------------------|
 * | `{` `}`             | a group; a destination ends with its group                     |
 * | `\objdata`          | hex digits of an OLE object follow                             |
 * | `\objclass`         | its class, as text                                             |
 * | `\objupdate`        | the object is opened as soon as the document is shown          |
 * | `\binN`             | N raw bytes follow                                             |
 * | `\*\template`       | the location of the document's template                        |
 *
 * One pass, byte by byte. Readers are very tolerant, so digits are collected across white space and
 * control words, which are used to hide them.
 */
export interface RtfObject {
  readonly offset: number;
  readonly data: Buffer;
  readonly className: string;
  /** The number of control words, groups and other characters between the digits. */
  readonly disturbances: number;
}

export interface RtfDocument {
  readonly objects: readonly RtfObject[];
  readonly template: string;
  readonly updates: number;
  /** Whether the header is incomplete or the document is crafted to mislead scanners. */
  readonly oddHeader: boolean;
  readonly truncated: readonly string[];
}

const MAX_OBJECTS = 64;
const MAX_CONTROLS = 4_000_000;
const MAX_DATA_BYTES = 16 * 1024 * 1024;
const MAX_TEXT = 2048;

export function isRtf(bytes: Buffer): boolean {
  return /^\s{0,16}\{\\rt/.test(bytes.toString('latin1', 0, 24));
}

export function parseRtf(bytes: Buffer): RtfDocument | undefined {
  return isRtf(bytes) ? new RtfScanner(bytes).run() : undefined;
}

/** Decodes digits into a buffer that all objects of the document share. */
class HexCollector {
  readonly offset: number;
  readonly depth: number;
  disturbances = 0;
  readonly #scratch: Buffer;
  #length = 0;
  #high = -1;

  constructor(offset: number, depth: number, scratch: Buffer) {
    this.offset = offset;
    this.depth = depth;
    this.#scratch = scratch;
  }

  digit(value: number): void {
    if (this.#high === -1) this.#high = value;
    else {
      this.byte(this.#high * 16 + value);
      this.#high = -1;
    }
  }

  byte(value: number): void {
    if (this.isFull) return;
    this.#scratch[this.#length] = value;
    this.#length += 1;
  }

  get isFull(): boolean {
    return this.#length >= this.#scratch.length;
  }

  data(): Buffer {
    return Buffer.from(this.#scratch.subarray(0, this.#length));
  }
}

class RtfScanner {
  readonly #bytes: Buffer;
  readonly #objects: RtfObject[] = [];
  readonly #truncated = new Set<string>();
  #at = 0;
  #depth = 0;
  #controls = 0;
  #updates = 0;
  #className = '';
  #template = '';
  #scratch: Buffer | undefined;
  #collector: HexCollector | undefined;
  /** The text of a control word, until its group ends. */
  #text:
    | { readonly of: 'objclass' | 'template'; readonly depth: number; value: string }
    | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  run(): RtfDocument {
    const bytes = this.#bytes;
    while (this.#at < bytes.length && this.#controls < MAX_CONTROLS) {
      const code = bytes[this.#at] ?? 0;
      this.#at += 1;
      if (code === 0x5c) this.#onControl();
      else if (code === 0x7b) this.#onOpen();
      else if (code === 0x7d) this.#onClose();
      else this.#onCharacter(code);
    }
    this.#endObject();
    if (this.#controls >= MAX_CONTROLS) this.#truncated.add(`${MAX_CONTROLS} control words`);
    return {
      objects: this.#objects,
      template: this.#template,
      updates: this.#updates,
      oddHeader: !/^\{\\rtf1/.test(bytes.toString('latin1', 0, 8)),
      truncated: [...this.#truncated],
    };
  }

  #onOpen(): void {
    this.#depth += 1;
    if (this.#collector !== undefined) this.#collector.disturbances += 1;
  }

  #onClose(): void {
    this.#depth -= 1;
    if (this.#collector !== undefined && this.#depth < this.#collector.depth) this.#endObject();
    if (this.#text !== undefined && this.#depth < this.#text.depth) this.#endText();
  }

  #onCharacter(code: number): void {
    if (this.#collector !== undefined) {
      const value = hexValue(code);
      if (value !== undefined) this.#collector.digit(value);
      else if (code > 0x20) this.#collector.disturbances += 1;
    } else if (this.#text !== undefined && code >= 0x20 && this.#text.value.length < MAX_TEXT) {
      this.#text.value += String.fromCharCode(code);
    }
  }

  #onControl(): void {
    this.#controls += 1;
    const { word, parameter } = this.#readControl();
    if (word === 'bin') this.#onBinary(parameter);
    else if (word === 'objdata') this.#startObject();
    else if (word === 'objupdate') this.#updates += 1;
    else if (word === 'objclass' || word === 'template') {
      this.#text = { of: word, depth: this.#depth, value: '' };
    } else if (this.#collector !== undefined) this.#collector.disturbances += 1;
  }

  /**
   * A word of letters, an optional number, an optional blank; or one other character, after `'` two
   * digits.
   */
  #readControl(): { word: string; parameter: number } {
    const bytes = this.#bytes;
    const from = this.#at;
    while (this.#at - from < 32 && isLetter(bytes[this.#at])) this.#at += 1;
    if (this.#at === from) {
      this.#at += bytes[from] === 0x27 ? 3 : 1;
      return { word: '', parameter: 0 };
    }
    const word = bytes.toString('latin1', from, this.#at);
    const numberAt = this.#at;
    if (bytes[this.#at] === 0x2d) this.#at += 1;
    while (this.#at - numberAt < 12 && isDigit(bytes[this.#at])) this.#at += 1;
    const parameter = Number(bytes.toString('latin1', numberAt, this.#at)) || 0;
    if (bytes[this.#at] === 0x20) this.#at += 1;
    return { word, parameter };
  }

  #onBinary(count: number): void {
    const end = Math.min(this.#at + Math.max(count, 0), this.#bytes.length);
    if (this.#collector !== undefined) {
      this.#collector.disturbances += 1;
      for (const byte of this.#bytes.subarray(this.#at, end)) this.#collector.byte(byte);
    }
    this.#at = end;
  }

  #startObject(): void {
    this.#endObject();
    if (this.#objects.length >= MAX_OBJECTS) {
      this.#truncated.add(`more than ${MAX_OBJECTS} objects`);
      return;
    }
    this.#scratch ??= Buffer.alloc(Math.min(this.#bytes.length, MAX_DATA_BYTES));
    this.#collector = new HexCollector(this.#at, this.#depth, this.#scratch);
  }

  #endObject(): void {
    const collector = this.#collector;
    this.#collector = undefined;
    const data = collector?.data();
    if (collector === undefined || data === undefined || data.length === 0) return;
    if (collector.isFull) this.#truncated.add(`an object longer than ${MAX_DATA_BYTES} bytes`);
    const { offset, disturbances } = collector;
    this.#objects.push({ offset, data, disturbances, className: this.#className });
    this.#className = '';
  }

  #endText(): void {
    const text = this.#text;
    this.#text = undefined;
    if (text?.of === 'objclass') this.#className = text.value.trim();
    if (text?.of === 'template') this.#template = text.value.trim();
  }
}

function hexValue(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined;
}

function isLetter(code = 0): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
}

function isDigit(code = 0): boolean {
  return code >= 0x30 && code <= 0x39;
}
