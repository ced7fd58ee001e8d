import { type DotnetFile, parseDotnet } from '../../formats/dotnet/file.ts';
import { readImage } from '../../formats/dotnet/image.ts';
import type { Subject } from '../../subject.ts';

/**
 * Cheap tests for the `matches` of .NET families. They read headers and search the metadata heaps
 * as raw bytes; no table and no code is decoded.
 */

/** Reads a few header fields. */
export function isDotnet(subject: Subject): boolean {
  return readImage(subject.bytes) !== undefined;
}

/**
 * Tests whether the `#Strings` heap holds one of these names (of a type, member or namespace) or a
 * name with such an ending: compilers store a name that ends another name only once.
 */
export function hasName(subject: Subject, ...names: readonly string[]): boolean {
  if (!isDotnet(subject)) return false;
  const file = subject.as(parseDotnet);
  if (file === undefined) return false;
  const results = nameResults.get(file) ?? new Map<string, boolean>();
  nameResults.set(file, results);
  return names.some((name) => {
    const result = results.get(name) ?? isInHeap(subject.bytes, file, name);
    results.set(name, result);
    return result;
  });
}

/** Several families search for the same names. */
const nameResults = new WeakMap<DotnetFile, Map<string, boolean>>();

function isInHeap(bytes: Buffer, { metadata }: DotnetFile, name: string): boolean {
  return metadata.streams.some(
    ({ name: stream, offset, size }) =>
      stream === '#Strings' && bytes.subarray(offset, offset + size).includes(`${name}\0`),
  );
}

/** A token has 24 bits for the offset of a literal, so code cannot reach beyond this size. */
const MAX_HEAP_BYTES = 1 << 24;

/** The texts as the `#US` heap stores them, in UTF-16LE. Encode them once, outside of `matches`. */
export function literals(...texts: readonly string[]): readonly Buffer[] {
  return texts.map((text) => Buffer.from(text, 'utf16le'));
}

/** Tests whether a literal of the program contains one of these. Works without field names. */
export function hasLiteral(subject: Subject, wanted: readonly Buffer[]): boolean {
  const file = isDotnet(subject) ? subject.as(parseDotnet) : undefined;
  if (file === undefined) return false;
  const isHeap = ({ name }: { readonly name: string }) => name === '#US';
  const { streams } = file.metadata;
  // Which of several heaps the runtime uses depends on the tables. A file may declare dozens.
  const heaps = new Set([streams.find(isHeap), streams.findLast(isHeap)]);
  return [...heaps].some((stream) => {
    if (stream === undefined) return false;
    const size = Math.min(stream.size, MAX_HEAP_BYTES);
    const heap = subject.bytes.subarray(stream.offset, stream.offset + size);
    return wanted.some((text) => heap.includes(text));
  });
}
