import { Reader } from '../../reader.ts';
import type { Subject } from '../../subject.ts';
import type { PeFile } from './file.ts';
import { isMz } from './headers.ts';
import { SECTION_EXECUTE } from './image.ts';
import { parsePe } from './pe.ts';

/** Unpacked stealers and loaders have some hundred kilobytes; what is larger is not looked through. */
const MOST_BYTES = 4 * 1024 * 1024;
const MACHINE_X86 = 0x14c;

/** A run of code: where it stands in the file, and at which address it is loaded. */
export interface CodePart {
  readonly start: number;
  readonly end: number;
  /** Relative to the image. */
  readonly rva: number;
}

/** `6A length, 68 address`: a length and an address that are pushed for a call. */
export interface Push {
  readonly length: number;
  readonly address: number;
  readonly offset: number;
  /** Of the instruction behind. */
  readonly next: number;
}

const PUSH_BYTES = 7;
const MOST_PUSHES = 20_000;

/** A Windows program of machine code, and what its addresses point to. */
export class NativeProgram {
  readonly reader: Reader;
  readonly is32: boolean;
  readonly #file: PeFile;
  #pushes: readonly Push[] | undefined;

  constructor(bytes: Buffer, file: PeFile) {
    this.reader = new Reader(bytes);
    this.is32 = file.machine === MACHINE_X86;
    this.#file = file;
  }

  get bytes(): Buffer {
    return this.reader.bytes;
  }

  /** Where the byte at an absolute address stands. */
  offsetOf(address: number): number | undefined {
    return this.#file.rvaToOffset(address - this.#file.imageBase);
  }

  offsetOfRva(rva: number): number | undefined {
    return this.#file.rvaToOffset(rva);
  }

  /** Exactly that many bytes from an absolute address on. */
  bytesAt(address: number, count: number): Buffer | undefined {
    const offset = this.offsetOf(address);
    return offset === undefined ? undefined : this.reader.slice(offset, count);
  }

  /** What may be run, in the order of the file. Crafted sections share bytes: each byte comes once. */
  codeParts(): CodePart[] {
    return this.partsWith(SECTION_EXECUTE);
  }

  /** In the order of the file; looked for once, however many families ask. */
  get pushes(): readonly Push[] {
    this.#pushes ??= findPushes(this.bytes, this.codeParts());
    return this.#pushes;
  }

  partsWith(characteristic: number): CodePart[] {
    const sections = this.#file.sections
      .filter(({ characteristics }) => (characteristics & characteristic) !== 0)
      .toSorted((a, b) => a.rawOffset - b.rawOffset);
    const parts: CodePart[] = [];
    let done = 0;
    for (const { rawOffset, rawSize, virtualAddress } of sections) {
      const start = Math.max(rawOffset, done);
      const end = Math.min(rawOffset + rawSize, this.bytes.length);
      if (start >= end) continue;
      parts.push({ start, end, rva: virtualAddress + start - rawOffset });
      done = end;
    }
    return parts;
  }
}

const programs = new WeakMap<Subject, NativeProgram>();

/** `undefined` for what is no such program, is made of .NET code, or is too large. */
export function nativeProgram(subject: Subject): NativeProgram | undefined {
  if (!isMz(subject.bytes) || subject.bytes.length > MOST_BYTES) return undefined;
  const known = programs.get(subject);
  const file = subject.as(parsePe);
  if (known !== undefined || file === undefined || file.com !== undefined) return known;
  const program = new NativeProgram(subject.bytes, file);
  programs.set(subject, program);
  return program;
}

function findPushes(bytes: Buffer, parts: readonly CodePart[]): Push[] {
  const found: Push[] = [];
  for (const { start, end } of parts) {
    let at = nextPush(bytes, start, end);
    while (at !== -1 && found.length < MOST_PUSHES) {
      found.push({
        length: bytes.readInt8(at + 1),
        address: bytes.readUInt32LE(at + 3),
        offset: at,
        next: at + PUSH_BYTES,
      });
      at = nextPush(bytes, at + 1, end);
    }
  }
  return found;
}

/** The hot loop. */
function nextPush(bytes: Buffer, from: number, end: number): number {
  const last = end - PUSH_BYTES;
  for (let at = from; at <= last; at += 1)
    if (bytes[at] === 0x6a && bytes[at + 2] === 0x68) return at;
  return -1;
}
