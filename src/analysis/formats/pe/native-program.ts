import { Reader } from '../../reader.ts';
import type { Subject } from '../../subject.ts';
import type { PeFile } from './file.ts';
import { isMz } from './headers.ts';
import { SECTION_EXECUTE, SECTION_INITIALIZED_DATA } from './image.ts';
import { parsePe } from './pe.ts';

/** Unpacked stealers and loaders have some hundred kilobytes; larger programs are not searched. */
const MAX_PROGRAM_BYTES = 4 * 1024 * 1024;
const MACHINE_X86 = 0x14c;

/** A part of a section: its range in the file and its address. */
export interface SectionPart {
  readonly start: number;
  readonly end: number;
  /** Relative to the image base. */
  readonly rva: number;
}

/** `6A length, 68 address`: two arguments of a call on the stack. */
export interface Push {
  readonly length: number;
  readonly address: number;
  readonly offset: number;
  /** Offset of the next instruction. */
  readonly next: number;
}

const PUSH_BYTES = 7;
const MAX_PUSHES = 20_000;

/** A Windows program of native code. Resolves the addresses in its code to file offsets. */
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

  /** File offset of an absolute address. */
  offsetOf(address: number): number | undefined {
    return this.#file.rvaToOffset(address - this.#file.imageBase);
  }

  offsetOfRva(rva: number): number | undefined {
    return this.#file.rvaToOffset(rva);
  }

  /** Exactly `count` bytes at an absolute address. */
  bytesAt(address: number, count: number): Buffer | undefined {
    const offset = this.offsetOf(address);
    return offset === undefined ? undefined : this.reader.slice(offset, count);
  }

  /** Executable sections, as `partsWith`. */
  codeParts(): SectionPart[] {
    return this.partsWith(SECTION_EXECUTE);
  }

  /** Sections of constants and variables, as `partsWith`. */
  dataParts(): SectionPart[] {
    return this.partsWith(SECTION_INITIALIZED_DATA);
  }

  /** In the order of the file. Cached, because several extractors use them. */
  get pushes(): readonly Push[] {
    this.#pushes ??= findPushes(this.bytes, this.codeParts());
    return this.#pushes;
  }

  /**
   * Sections with this flag, in file order. Crafted sections may overlap: each byte is returned
   * once.
   */
  partsWith(characteristic: number): SectionPart[] {
    const sections = this.#file.sections
      .filter(({ characteristics }) => (characteristics & characteristic) !== 0)
      .toSorted((a, b) => a.rawOffset - b.rawOffset);
    const parts: SectionPart[] = [];
    let lastEnd = 0;
    for (const { rawOffset, rawSize, virtualAddress } of sections) {
      const start = Math.max(rawOffset, lastEnd);
      const end = Math.min(rawOffset + rawSize, this.bytes.length);
      if (start >= end) continue;
      parts.push({ start, end, rva: virtualAddress + start - rawOffset });
      lastEnd = end;
    }
    return parts;
  }
}

const programs = new WeakMap<Subject, NativeProgram>();

/** `undefined` if the file is not a PE, is a .NET program, or is too large. */
export function nativeProgram(subject: Subject): NativeProgram | undefined {
  if (!isMz(subject.bytes) || subject.bytes.length > MAX_PROGRAM_BYTES) return undefined;
  const cached = programs.get(subject);
  const file = subject.as(parsePe);
  if (cached !== undefined || file === undefined || file.com !== undefined) return cached;
  const program = new NativeProgram(subject.bytes, file);
  programs.set(subject, program);
  return program;
}

function findPushes(bytes: Buffer, parts: readonly SectionPart[]): Push[] {
  const found: Push[] = [];
  for (const { start, end } of parts) {
    let at = nextPush(bytes, start, end);
    while (at !== -1 && found.length < MAX_PUSHES) {
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
