import { PdfLexer } from './lexer.ts';
import { COUNTED_NAMES, FILTERS } from './names.ts';

/**
 * Scans the objects of a PDF without building them: names are counted, and the values of a few keys
 * are stored. ISO 32000-1: objects and streams 7.3, object streams 7.5.7, file specifications 7.11,
 * actions 12.6.4.
 */
export interface PdfStream {
  readonly object: number;
  readonly offset: number;
  readonly content: Buffer;
  readonly filters: readonly string[];
  readonly type: string;
  /** The offset of the first object in an object stream. */
  readonly first: number;
}

export interface PdfText {
  readonly text: string;
  readonly offset: number;
}

export interface PdfScan {
  readonly version: string;
  readonly objectCount: number;
  /** Relevant names: the number of occurrences, and the offset of the first. */
  readonly names: ReadonlyMap<string, { count: number; readonly offset: number }>;
  readonly disguisedName: PdfText | undefined;
  readonly streams: readonly PdfStream[];
  readonly scripts: readonly PdfText[];
  readonly uris: readonly PdfText[];
  /** Strings of objects with a launch action. */
  readonly launched: readonly PdfText[];
  readonly scriptObjects: ReadonlySet<number>;
  readonly formObjects: ReadonlySet<number>;
  /** Objects with an embedded file, and its name if there is one. */
  readonly fileObjects: ReadonlyMap<number, string>;
  readonly truncated: readonly string[];
}

const MAX_TOKENS = 4_000_000;
const MAX_STREAMS = 20_000;
const MAX_VALUES = 2000;
const MAX_FILTERS = 8;
const MAX_FILE_NAME_BYTES = 1024;
/** The limit for all texts together, since decoding escapes is slow. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** How much is read of unterminated streams after the first one: they overlap. */
const MAX_UNTERMINATED_BYTES = 4096;

export function isPdf(bytes: Buffer): boolean {
  return bytes.subarray(0, 1024).includes('%PDF-');
}

export function parsePdf(bytes: Buffer): PdfScan | undefined {
  return isPdf(bytes) ? new Scanner(bytes, false).run() : undefined;
}

/** Scans the output of an object stream: its objects have no leading number and no `endobj`. */
export function scanObjectStream(bytes: Buffer): PdfScan {
  return new Scanner(bytes, true).run();
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The state of the current object. */
class ObjectState {
  readonly number: number;
  filters: string[] = [];
  type = '';
  length: number | undefined;
  first = 0;
  launches = false;
  /** The ranges of its first strings, decoded only if it has a launch action. */
  strings: Span[] = [];
  fileName = '';
  files: number[] = [];

  constructor(number: number) {
    this.number = number;
  }
}

class Scanner {
  readonly #lexer: PdfLexer;
  readonly #bare: boolean;
  readonly #names = new Map<string, { count: number; readonly offset: number }>();
  readonly #streams: PdfStream[] = [];
  readonly #scripts: PdfText[] = [];
  readonly #uris: PdfText[] = [];
  readonly #launched: PdfText[] = [];
  readonly #scriptObjects = new Set<number>();
  readonly #formObjects = new Set<number>();
  readonly #fileObjects = new Map<number, string>();
  readonly #truncated = new Set<string>();
  #disguised: PdfText | undefined;
  #object = new ObjectState(-1);
  #objectCount = 0;
  #depth = 0;
  /** The last name: the key of the next value. */
  #key = '';
  /** The last two numbers: `12 0` of `12 0 R`. */
  readonly #numbers: [number, number] = [-1, -1];
  #hasUnterminatedStream = false;
  #textBytes = 0;

  constructor(bytes: Buffer, bare: boolean) {
    this.#lexer = new PdfLexer(bytes);
    this.#bare = bare;
  }

  run(): PdfScan {
    const lexer = this.#lexer;
    for (let count = 0; lexer.next(); count += 1) {
      if (count >= MAX_TOKENS) {
        this.#truncated.add(`more than ${MAX_TOKENS} tokens`);
        break;
      }
      if (lexer.kind === 'name') this.#onName(lexer.text, lexer.start);
      else if (lexer.kind === 'string') this.#onString({ start: lexer.start, end: lexer.at });
      else if (lexer.kind === 'number') this.#onNumber(lexer.value);
      else if (lexer.kind === 'mark') this.#onMark(lexer.text);
      else this.#onWord(lexer.text);
    }
    this.#closeObject();
    return this.#result();
  }

  #onName(name: string, offset: number): void {
    if (this.#lexer.disguised) this.#disguised ??= { text: name, offset };
    if (COUNTED_NAMES.has(name)) this.#count(name, offset);
    const filter = FILTERS[name];
    const { filters } = this.#object;
    if (filter !== undefined && filters.length < MAX_FILTERS) filters.push(filter);
    if (this.#key === 'Type') this.#object.type = name;
    if (name === 'Launch') this.#object.launches = true;
    this.#key = name;
  }

  #count(name: string, offset: number): void {
    const known = this.#names.get(name);
    if (known === undefined) this.#names.set(name, { count: 1, offset });
    else known.count += 1;
  }

  /** There may be millions of strings, of which few are needed. */
  #onString(span: Span): void {
    const key = this.#key;
    const { strings, fileName } = this.#object;
    if (key === 'JS') this.#keep(this.#scripts, span);
    if (key === 'URI') this.#keep(this.#uris, span);
    if (key === 'UF' || (key === 'F' && fileName === '')) {
      const end = Math.min(span.end, span.start + MAX_FILE_NAME_BYTES);
      this.#object.fileName = this.#read({ ...span, end }).text;
    }
    if (strings.length < 8) strings.push(span);
  }

  #keep(list: PdfText[], span: Span): void {
    this.#textBytes += span.end - span.start;
    if (list.length >= MAX_VALUES)
      this.#truncated.add(`more than ${MAX_VALUES} values of one kind`);
    else if (this.#textBytes > MAX_TEXT_BYTES)
      this.#truncated.add(`more than ${MAX_TEXT_BYTES} bytes of values`);
    else list.push(this.#read(span));
  }

  #read({ start, end }: Span): PdfText {
    return { text: readText(this.#lexer.stringAt(start, end)), offset: start };
  }

  #onMark(mark: string): void {
    if (mark === '<<') this.#depth += 1;
    if (mark !== '>>') return;
    this.#depth = Math.max(0, this.#depth - 1);
    this.#key = '';
    if (this.#bare && this.#depth === 0) this.#closeObject();
  }

  #onWord(word: string): void {
    if (word === 'R') this.#onReference(this.#numbers[0]);
    else if (word === 'obj') this.#openObject(this.#numbers[0]);
    else if (word === 'endobj') this.#closeObject();
    else if (word === 'stream') this.#onStream();
  }

  #onNumber(value: number): void {
    this.#numbers[0] = this.#numbers[1];
    this.#numbers[1] = value;
    if (this.#key === 'Length') this.#object.length ??= value;
    if (this.#key === 'First') this.#object.first = value;
  }

  #onReference(object: number): void {
    const key = this.#key;
    // The preceding number is not the length, but a reference to it.
    if (key === 'Length') this.#object.length = undefined;
    if (key === 'JS' && this.#scriptObjects.size < MAX_VALUES) this.#scriptObjects.add(object);
    if (key === 'XFA' && this.#formObjects.size < MAX_VALUES) this.#formObjects.add(object);
    // Only inside of /EF do these keys have references as values.
    const { files } = this.#object;
    if ((key === 'F' || key === 'UF') && files.length < 8) files.push(object);
  }

  #openObject(number: number): void {
    this.#closeObject();
    this.#object = new ObjectState(number);
    this.#objectCount += 1;
    this.#depth = 0;
    this.#key = '';
  }

  #closeObject(): void {
    const { files, fileName, launches, strings } = this.#object;
    for (const file of files) {
      if (this.#fileObjects.size < MAX_VALUES) this.#fileObjects.set(file, fileName);
    }
    if (launches) for (const span of strings) this.#keep(this.#launched, span);
    this.#object = new ObjectState(-1);
  }

  #onStream(): void {
    const { bytes } = this.#lexer;
    let from = this.#lexer.at;
    if (bytes[from] === 13) from += 1;
    if (bytes[from] === 10) from += 1;
    const wasUnterminated = this.#hasUnterminatedStream;
    const end = this.#endOfStream(from);
    const { number, filters, type, first } = this.#object;
    if (this.#streams.length < MAX_STREAMS) {
      const limit = wasUnterminated ? from + MAX_UNTERMINATED_BYTES : bytes.length;
      const content = bytes.subarray(from, end ?? limit);
      this.#streams.push({ object: number, offset: from, content, filters, type, first });
    } else this.#truncated.add(`more than ${MAX_STREAMS} streams`);
    if (end !== undefined) this.#lexer.at = end;
  }

  /** Uses the stated length if it is correct, else the next `endstream`. */
  #endOfStream(from: number): number | undefined {
    const { bytes } = this.#lexer;
    const { length } = this.#object;
    if (length !== undefined && from + length <= bytes.length) {
      const following = bytes.toString('latin1', from + length, from + length + 16);
      if (/^\s{0,4}endstream/.test(following)) return from + length;
    }
    // Searching the rest of the file for each unterminated stream would take quadratic time.
    if (this.#hasUnterminatedStream) return undefined;
    const end = bytes.indexOf('endstream', from);
    this.#hasUnterminatedStream = end === -1;
    return end === -1 ? undefined : end;
  }

  #result(): PdfScan {
    return {
      version: readVersion(this.#lexer.bytes),
      objectCount: this.#objectCount,
      names: this.#names,
      disguisedName: this.#disguised,
      streams: this.#streams,
      scripts: this.#scripts,
      uris: this.#uris,
      launched: this.#launched,
      scriptObjects: this.#scriptObjects,
      formObjects: this.#formObjects,
      fileObjects: this.#fileObjects,
      truncated: [...this.#truncated],
    };
  }
}

function readVersion(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 1040);
  return /%PDF-(\d{1,2}\.\d{1,2})/.exec(head)?.[1] ?? '';
}

/** Strings may be UTF-16 with a byte order mark; others are shown byte by byte. */
function readText(text: string): string {
  if (!text.startsWith('\xfe\xff')) return text;
  return new TextDecoder('utf-16be').decode(Buffer.from(text, 'latin1'));
}
