import { Reader } from '../../reader.ts';
import type { CompoundEntry, CompoundFile } from './file.ts';
import { decodeInstallerName } from './names.ts';

/**
 * Windows Installer databases (`.msi`, `.msp`): a compound file in which each table is a stream.
 *
 * | stream         | content                                                                     |
 * |----------------|-----------------------------------------------------------------------------|
 * | `!_StringPool` | u16 code page and u16 flags (0x8000: references have three bytes); then for |
 * |                | each string u16 length and u16 reference count. Length 0 with references:   |
 * |                | the next four bytes are the length                                          |
 * | `!_StringData` | the strings, concatenated                                                   |
 * | `!_Columns`    | table, number, name, type of every column                                   |
 * | `!<table>`     | column by column; strings by index, 16-bit integers with their top bit      |
 * |                | flipped                                                                     |
 *
 * Reference: "Database Reference" of the Windows Installer documentation on Microsoft Learn.
 */
export interface CustomAction {
  readonly name: string;
  readonly type: number;
  readonly source: string;
  readonly target: string;
}

export interface Installer {
  readonly properties: Readonly<Record<string, string>>;
  readonly actions: readonly CustomAction[];
  /** Streams that are files, not tables, with decoded names. */
  readonly files: readonly { readonly name: string; readonly entry: CompoundEntry }[];
  readonly truncated: readonly string[];
}

const MAX_STRINGS = 200_000;
const MAX_ROWS = 2000;
const MAX_TEXT = 256 * 1024;
const SHOWN_PROPERTIES = [
  'ProductName',
  'Manufacturer',
  'ProductVersion',
  'ProductCode',
  'UpgradeCode',
];

export function readInstaller(file: CompoundFile): Installer {
  const streams = new Map<string, CompoundEntry>();
  for (const entry of file.entries) {
    if (entry.kind === 'stream') streams.set(decodeInstallerName(entry.name), entry);
  }
  const truncated: string[] = [];
  const database = new Database(file, streams, truncated);
  const files = [...streams]
    .filter(([name]) => !['!', '\x05', '('].includes(name.slice(0, 1)))
    .map(([name, entry]) => ({ name, entry }));
  return {
    properties: readProperties(database),
    actions: readActions(database),
    files,
    truncated,
  };
}

function readProperties(database: Database): Record<string, string> {
  const rows = database.rows('Property', ['text', 'text']);
  return Object.fromEntries(
    rows
      .map(([name, value]) => [String(name), String(value)] as const)
      .filter(([name]) => SHOWN_PROPERTIES.includes(name)),
  );
}

function readActions(database: Database): CustomAction[] {
  return database
    .rows('CustomAction', ['text', 'short', 'text', 'text'])
    .map(([name, type, source, target]) => ({
      name: String(name),
      type: Number(type),
      source: String(source),
      target: String(target),
    }));
}

type Column = 'text' | 'short';

class Database {
  readonly #file: CompoundFile;
  readonly #streams: ReadonlyMap<string, CompoundEntry>;
  readonly #truncated: string[];
  readonly #strings: readonly Buffer[];
  readonly #referenceBytes: number;

  constructor(
    file: CompoundFile,
    streams: ReadonlyMap<string, CompoundEntry>,
    truncated: string[],
  ) {
    this.#file = file;
    this.#streams = streams;
    this.#truncated = truncated;
    const pool = new Reader(this.#read('!_StringPool'));
    this.#referenceBytes = ((pool.u16(2) ?? 0) & 0x8000) === 0 ? 2 : 3;
    this.#strings = this.#readStrings(pool, new Reader(this.#read('!_StringData')));
  }

  /** The leading columns of a table, which are known; newer versions append further columns. */
  rows(table: string, columns: readonly Column[]): (string | number)[][] {
    const reader = new Reader(this.#read(`!${table}`));
    const rowBytes = this.#widthOf(table, columns);
    const stated = Math.floor(reader.length / rowBytes);
    if (stated > MAX_ROWS) this.#truncated.push(`more than ${MAX_ROWS} rows in ${table}`);
    const rows: (string | number)[][] = [];
    for (let row = 0; row < Math.min(stated, MAX_ROWS); row += 1) {
      let columnAt = 0;
      const cells = columns.map((column) => {
        const bytes = this.#bytesOf(column);
        const at = columnAt * stated + row * bytes;
        columnAt += bytes;
        return column === 'text'
          ? this.#text(reader, at)
          : ((reader.u16(at) ?? 0x8000) ^ 0x8000) & 0xffff;
      });
      rows.push(cells);
    }
    return rows;
  }

  /**
   * In newer databases `CustomAction` has a fifth column of four bytes, which `_Columns` declares.
   */
  #widthOf(table: string, columns: readonly Column[]): number {
    const known = columns.reduce((sum, column) => sum + this.#bytesOf(column), 0);
    if (table !== 'CustomAction') return known;
    const schema = this.rows('_Columns', ['text', 'short', 'text', 'short']);
    return schema.some(([owner, , name]) => owner === table && name === 'ExtendedType')
      ? known + 4
      : known;
  }

  #bytesOf(column: Column): number {
    return column === 'text' ? this.#referenceBytes : 2;
  }

  #text(reader: Reader, at: number): string {
    const high = this.#referenceBytes === 3 ? (reader.u8(at + 2) ?? 0) : 0;
    const id = (reader.u16(at) ?? 0) + high * 0x10000;
    return this.#strings[id]?.toString('utf8', 0, MAX_TEXT) ?? '';
  }

  #read(name: string): Buffer {
    const entry = this.#streams.get(name);
    return entry === undefined ? Buffer.alloc(0) : this.#file.read(entry);
  }

  #readStrings(pool: Reader, data: Reader): Buffer[] {
    const strings: Buffer[] = [Buffer.alloc(0)];
    let dataAt = 0;
    for (let at = 4; pool.has(at, 4); at += 4) {
      if (strings.length > MAX_STRINGS) {
        this.#truncated.push(`more than ${MAX_STRINGS} strings`);
        break;
      }
      let length = pool.u16(at) ?? 0;
      if (length === 0 && (pool.u16(at + 2) ?? 0) > 0) {
        at += 4;
        length = (pool.u16(at + 2) ?? 0) * 0x10000 + (pool.u16(at) ?? 0);
      }
      strings.push(data.upTo(dataAt, length));
      dataAt += length;
    }
    return strings;
  }
}

/** The low six bits are the type of an action; these types run a program, a library or a script. */
const RUNNING_TYPES: Readonly<Record<number, string>> = {
  1: 'library in the database',
  2: 'program in the database',
  5: 'JScript in the database',
  6: 'VBScript in the database',
  17: 'installed library',
  18: 'installed program',
  21: 'installed JScript',
  22: 'installed VBScript',
  34: 'command line',
  37: 'JScript',
  38: 'VBScript',
  50: 'command line',
  53: 'JScript in a property',
  54: 'VBScript in a property',
};

/**
 * What an action runs, for users; `undefined` for actions that only set a value or show an error.
 */
export function whatRuns({ type }: CustomAction): string | undefined {
  return RUNNING_TYPES[type & 0x3f];
}

/** The file extension of a script that is stored in the table itself. */
export function inlineScriptEnding({ type }: CustomAction): '.js' | '.vbs' | undefined {
  if ((type & 0x3f) === 37) return '.js';
  return (type & 0x3f) === 38 ? '.vbs' : undefined;
}
