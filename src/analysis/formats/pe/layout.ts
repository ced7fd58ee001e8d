import { createHash } from 'node:crypto';
import { DIRECTORY, directoriesAt } from './headers.ts';
import type { PeImage } from './image.ts';

/** A range of the file. */
export interface Extent {
  readonly offset: number;
  readonly size: number;
}

/** The range of the certificates, if the directory is valid. Its address is a file offset. */
export function certificateTableOf(image: PeImage): Extent | undefined {
  const location = image.directory(DIRECTORY.certificate);
  if (location === undefined || location.size === 0) return undefined;
  if (!image.reader.has(location.rva, location.size)) {
    image.malformed.add('the certificate table lies outside of the file');
    return undefined;
  }
  return { offset: location.rva, size: location.size };
}

/** Data after everything that the headers describe, without certificates. */
export function overlayOf(image: PeImage): Extent | undefined {
  const fileBytes = image.reader.length;
  const start = Math.max(...declaredEnds(image).filter((end) => end <= fileBytes));
  const certificates = certificateTableOf(image);
  // Certificates are at the very end, or before data that was appended after signing.
  if (certificates === undefined || certificates.offset < start) return extent(start, fileBytes);
  const certificatesEnd = certificates.offset + certificates.size;
  if (certificatesEnd < fileBytes) return extent(certificatesEnd, fileBytes);
  // Less than the alignment of the certificates is padding.
  return certificates.offset - start < 8 ? undefined : extent(start, certificates.offset);
}

function extent(offset: number, end: number): Extent | undefined {
  return end > offset ? { offset, size: end - offset } : undefined;
}

function declaredEnds({ headers, sections }: PeImage): number[] {
  return [
    0,
    headers.sectionTableOffset + sections.length * 40,
    headers.symbolsEnd,
    ...sections.map((section) => section.rawOffset + section.rawSize),
  ];
}

const CHECKSUM_AT = 64;
/** The number of 32-bit words that can be added exactly in a double. */
const EXACT_WORDS = 2 ** 20;

/**
 * The checksum of the optional header: the file as 16-bit words, added with carry and without the
 * field itself, plus the length of the file. Adding 32-bit words first gives the same result in
 * half the time.
 */
export function checksumOf(image: PeImage): number {
  const { bytes, length } = image.reader;
  const words = length - (length % 4);
  let sum = 0;
  for (let start = 0; start < words; start += EXACT_WORDS * 4) {
    const end = Math.min(start + EXACT_WORDS * 4, words);
    sum = folded(sum + sumOfWords(bytes, start, end));
  }
  const tail = Buffer.alloc(4);
  bytes.copy(tail, 0, words);
  // Removing the field is adding its complement, at any alignment.
  const field = image.headers.checksum;
  const at = image.headers.optionalOffset + CHECKSUM_AT;
  const shift = (at % 2) * 8;
  sum += complement((field & 0xffff) << shift) + complement((field >>> 16) << shift);
  sum += tail.readUInt32LE(0);
  return (folded16(folded(sum)) + length) >>> 0;
}

function sumOfWords(bytes: Buffer, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = 0;
  for (let at = start; at < end; at += 4) sum += view.getUint32(at, true);
  return sum;
}

function folded(sum: number): number {
  let remaining = sum;
  while (remaining >= 2 ** 32) remaining = (remaining % 2 ** 32) + Math.floor(remaining / 2 ** 32);
  return remaining;
}

function folded16(sum: number): number {
  let remaining = sum;
  while (remaining > 0xffff) remaining = (remaining & 0xffff) + (remaining >>> 16);
  return remaining;
}

function complement(word: number): number {
  return 0xffff - folded16(word);
}

/**
 * The digest that Authenticode signs: everything but the checksum, the directory entry of the
 * certificates and the certificates. That of an unsigned file is not padded: a signing tool first
 * pads the file to a multiple of 8 bytes, so the digest of its output differs. Reference: "Windows
 * Authenticode Portable Executable Signature Format" (2008).
 */
export function authentihashOf(image: PeImage, algorithm: string): string {
  const { bytes, length } = image.reader;
  const { optionalOffset, is64 } = image.headers;
  const checksum = optionalOffset + CHECKSUM_AT;
  const entry = optionalOffset + directoriesAt(is64) + DIRECTORY.certificate * 8;
  const table = certificateTableOf(image);
  const bodyEnd = table?.offset ?? length;
  const hash = createHash(algorithm);
  hash.update(bytes.subarray(0, checksum));
  hash.update(bytes.subarray(checksum + 4, entry));
  hash.update(bytes.subarray(entry + 8, bodyEnd));
  if (table !== undefined) hash.update(bytes.subarray(table.offset + table.size));
  return hash.digest('hex');
}
