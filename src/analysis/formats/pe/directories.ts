import { DIRECTORY } from './headers.ts';
import type { PeImage } from './image.ts';

/**
 * The debug and TLS directories ("PE Format", learn.microsoft.com/windows/win32/debug/pe-format).
 *
 *   debug   entries of 28 bytes: ... u32 type at 12, u32 size at 16, ... u32 file offset at 24
 *           type 2: "RSDS" | GUID | age u32 | path
 *                   or "NB10" | offset u32 | time u32 | age u32 | path
 *           type 16: the build is reproducible, its timestamp a hash
 *   TLS     virtual addresses; the fourth is an array of functions that run before the entry point
 */
export interface DebugInfo {
  readonly pdbPath?: string | undefined;
  readonly pdbOffset?: number | undefined;
  readonly isReproducible: boolean;
}

const DEBUG_ENTRY_BYTES = 28;
const MAX_DEBUG_ENTRIES = 32;
const MAX_PATH = 512;
const CODE_VIEW = 2;
const REPRODUCIBLE = 16;
const MAX_CALLBACKS = 64;

export function readDebug(image: PeImage): DebugInfo {
  const directory = image.directory(DIRECTORY.debug);
  let debug: DebugInfo = { isReproducible: false };
  if (directory === undefined) return debug;
  const count = Math.min(Math.floor(directory.size / DEBUG_ENTRY_BYTES), MAX_DEBUG_ENTRIES);
  for (let index = 0; index < count; index++) {
    const entry = image.bytesAt(directory.rva + index * DEBUG_ENTRY_BYTES, DEBUG_ENTRY_BYTES);
    if (entry?.length !== DEBUG_ENTRY_BYTES) break;
    const type = entry.readUInt32LE(12);
    if (type === REPRODUCIBLE) debug = { ...debug, isReproducible: true };
    if (type === CODE_VIEW) debug = { ...debug, ...pdbOf(image, entry.readUInt32LE(24)) };
  }
  return debug;
}

function pdbOf({ reader }: PeImage, offset: number): Pick<DebugInfo, 'pdbPath' | 'pdbOffset'> {
  const kind = reader.slice(offset, 4)?.toString('latin1');
  const pathAt = kind === 'RSDS' ? 24 : kind === 'NB10' ? 16 : undefined;
  if (pathAt === undefined) return {};
  return { pdbPath: reader.text(offset + pathAt, MAX_PATH, 'utf8'), pdbOffset: offset + pathAt };
}

export interface TlsCallbacks {
  readonly count: number;
  readonly offset?: number | undefined;
}

export function readTlsCallbacks(image: PeImage): TlsCallbacks {
  const directory = image.directory(DIRECTORY.tls);
  const size = image.headers.is64 ? 8 : 4;
  const array = directory === undefined ? undefined : pointerAt(image, directory.rva + 3 * size);
  if (array === undefined || array === 0) return { count: 0 };
  const rva = array - image.headers.imageBase;
  let count = 0;
  while (count < MAX_CALLBACKS && (pointerAt(image, rva + count * size) ?? 0) !== 0) count += 1;
  return { count, offset: count === 0 ? undefined : image.rvaToOffset(rva) };
}

function pointerAt(image: PeImage, rva: number): number | undefined {
  const size = image.headers.is64 ? 8 : 4;
  const bytes = rva < 0 ? undefined : image.bytesAt(rva, size);
  if (bytes?.length !== size) return undefined;
  return size === 8 ? Number(bytes.readBigUInt64LE(0)) : bytes.readUInt32LE(0);
}
