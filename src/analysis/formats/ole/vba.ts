import { Reader } from '../../reader.ts';
import type { CompoundEntry, CompoundFile } from './file.ts';

/**
 * Macro projects of Office documents. [MS-OVBA] 2.3.4.2 (the `dir` stream) and 2.4.1 (compression).
 *
 * | record of `dir`                | id     | content                                |
 * |--------------------------------|--------|----------------------------------------|
 * | code page                      | 0x0003 | u16                                    |
 * | version of the project         | 0x0009 | six bytes, though its length says four |
 * | name of a module               | 0x0019 | in that code page                      |
 * | name of its stream             | 0x001A | in that code page                      |
 * | offset of its source in there  | 0x0031 | u32                                    |
 * | end of a module                | 0x002B | none                                   |
 *
 * Each record is u16 id, u32 length, content. Compressed data is one byte 01, then chunks of up to
 * 4096 bytes: u16 (length less 3 in the low twelve bits, top bit: compressed), then groups of a
 * flag byte and eight tokens.
 */
export interface VbaModule {
  readonly name: string;
  readonly source: Buffer;
  /** The offset of its stream; absent in the mini stream. */
  readonly offset: number | undefined;
}

export interface VbaProject {
  readonly modules: readonly VbaModule[];
  readonly truncated: readonly string[];
}

const CHUNK_BYTES = 4096;
const MAX_MODULES = 256;
const MAX_DIR_BYTES = 1024 * 1024;
const MAX_SOURCE_BYTES = 2 * 1024 * 1024;
const MAX_PROJECT_BYTES = 16 * 1024 * 1024;

const RECORD = { version: 0x09, name: 0x19, stream: 0x1a, offset: 0x31, end: 0x2b } as const;

/** Every macro project of the file: a storage with a stream named `dir`. */
export function readVbaProjects(file: CompoundFile): readonly VbaProject[] {
  return file.entries
    .filter((entry) => entry.kind === 'stream' && /(?:^|\/)vba\/dir$/i.test(entry.path))
    .slice(0, 4)
    .map((entry) => readProject(file, entry));
}

interface ModuleLocation {
  name: string;
  stream: string;
  offset: number;
}

function readProject(file: CompoundFile, dir: CompoundEntry): VbaProject {
  const truncated: string[] = [];
  const folder = dir.path.slice(0, dir.path.lastIndexOf('/') + 1);
  const streams = new Map(
    file.entries
      .filter((entry) => entry.kind === 'stream' && entry.path.startsWith(folder))
      .map((entry) => [entry.name.toLowerCase(), entry]),
  );
  const { bytes } = decompressVba(file.read(dir), MAX_DIR_BYTES);
  const stated = readModuleLocations(bytes);
  const locations = stated.length > 0 ? stated : guessLocations(file, [...streams.values()]);
  if (locations.length > MAX_MODULES) truncated.push(`more than ${MAX_MODULES} modules`);
  let remaining = MAX_PROJECT_BYTES;
  const modules: VbaModule[] = [];
  for (const location of locations.slice(0, MAX_MODULES)) {
    const entry = streams.get(location.stream.toLowerCase());
    if (entry === undefined) continue;
    const packed = new Reader(file.read(entry)).upTo(location.offset, entry.sizeBytes);
    const source = decompressVba(packed, Math.min(MAX_SOURCE_BYTES, remaining));
    if (!source.whole) truncated.push('the source of a module is too long or damaged');
    remaining -= source.bytes.length;
    modules.push({ name: location.name, source: source.bytes, offset: entry.offset });
  }
  return { modules, truncated };
}

function readModuleLocations(dir: Buffer): ModuleLocation[] {
  const reader = new Reader(dir);
  const locations: ModuleLocation[] = [];
  let current: ModuleLocation = { name: '', stream: '', offset: 0 };
  for (let at = 0; reader.has(at, 6); ) {
    const id = reader.u16(at);
    const length = id === RECORD.version ? 6 : (reader.u32(at + 2) ?? 0);
    const content = reader.upTo(at + 6, length);
    if (id === RECORD.name) current = { name: content.toString('latin1'), stream: '', offset: 0 };
    if (id === RECORD.stream) current.stream = content.toString('latin1');
    if (id === RECORD.offset && content.length >= 4) current.offset = content.readUInt32LE(0);
    if (id === RECORD.end && current.stream !== '') locations.push(current);
    at += 6 + length;
  }
  return locations;
}

/**
 * Locates modules without `dir`: the source of a module begins with "Attribut" (the first token
 * group has eight literals), after the container's one byte, the chunk's two bytes and a flag byte
 * of zero.
 */
function guessLocations(file: CompoundFile, streams: readonly CompoundEntry[]): ModuleLocation[] {
  return streams.flatMap((entry) => {
    const at = file.read(entry).indexOf('\0Attribut', 0, 'latin1');
    return at < 3 ? [] : [{ name: entry.name, stream: entry.name, offset: at - 3 }];
  });
}

/** Decompresses a container; `whole` is false if it is damaged or exceeds `maxBytes`. */
export function decompressVba(packed: Buffer, maxBytes: number): { bytes: Buffer; whole: boolean } {
  const reader = new Reader(packed);
  const parts: Buffer[] = [];
  let length = 0;
  if (reader.u8(0) !== 1) return { bytes: Buffer.alloc(0), whole: false };
  for (let at = 1; reader.has(at, 2); ) {
    if (length + CHUNK_BYTES > maxBytes) return { bytes: Buffer.concat(parts), whole: false };
    const header = reader.u16(at) ?? 0;
    // The three bits above the length are always 011: otherwise the source has ended.
    if ((header & 0x7000) !== 0x3000) break;
    const chunkBytes = (header & 0x0fff) + 1;
    const content = reader.upTo(at + 2, chunkBytes);
    const part = (header & 0x8000) === 0 ? content.subarray(0, CHUNK_BYTES) : unpackChunk(content);
    parts.push(part);
    length += part.length;
    at += 2 + chunkBytes;
  }
  return { bytes: Buffer.concat(parts), whole: true };
}

function unpackChunk(content: Buffer): Buffer {
  const out = Buffer.alloc(CHUNK_BYTES);
  let length = 0;
  let at = 0;
  while (at < content.length && length < CHUNK_BYTES) {
    const flags = content[at] ?? 0;
    at += 1;
    for (let bit = 0; bit < 8 && at < content.length && length < CHUNK_BYTES; bit += 1) {
      if ((flags & (1 << bit)) === 0) {
        out[length] = content[at] ?? 0;
        length += 1;
        at += 1;
        continue;
      }
      if (at + 2 > content.length) return out.subarray(0, length);
      length = copyBack(out, length, content.readUInt16LE(at));
      at += 2;
    }
  }
  return out.subarray(0, length);
}

/** The split of a copy token between distance and length depends on the output so far. */
function copyBack(out: Buffer, length: number, token: number): number {
  const distanceBits = Math.max(4, 32 - Math.clz32(Math.max(length - 1, 0)));
  const lengthBits = 16 - distanceBits;
  const distance = (token >> lengthBits) + 1;
  const count = Math.min((token & ((1 << lengthBits) - 1)) + 3, CHUNK_BYTES - length);
  if (distance > length) return length;
  for (let index = 0; index < count; index += 1) {
    out[length + index] = out[length + index - distance] ?? 0;
  }
  return length + count;
}
