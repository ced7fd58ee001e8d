/**
 * A program behind a stub that decodes it, as Cobalt Strike writes its stages:
 *
 *   stub, some hundred bytes | nonce u32 | size u32, XORed with the nonce | the program
 *
 * Each 4 bytes of the program are XORed with the 4 encoded ones before them; the first ones with the nonce, or with
 * the encoded size. Reference: https://dissect-cobaltstrike.readthedocs.io/ (XorEncodedFile)
 */
export interface XorChain {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly key: number;
}

const STUB_BYTES = 1024;
/** No beacon is smaller or larger. */
const LEAST_BYTES = 0x800;
const MOST_BYTES = 8 * 1024 * 1024;

/** The first place where a size that fits is followed by a program. */
export function findXorChain(bytes: Buffer): XorChain | undefined {
  const last = Math.min(STUB_BYTES, bytes.length - 8 - LEAST_BYTES);
  for (let at = 0; at <= last; at += 1) {
    const nonce = bytes.readUInt32LE(at);
    const sealedSize = bytes.readUInt32LE(at + 4);
    const sizeBytes = (nonce ^ sealedSize) >>> 0;
    const offset = at + 8;
    if (sizeBytes < LEAST_BYTES || sizeBytes > Math.min(MOST_BYTES, bytes.length - offset))
      continue;
    if (!hasHeader(bytes, offset)) continue;
    for (const key of [nonce, sealedSize])
      if (hasMark(bytes, offset, key)) return { offset, sizeBytes, key };
  }
  return undefined;
}

/** Looks at single words, for small numbers that seem to be a size stand everywhere. */
function hasHeader(bytes: Buffer, offset: number): boolean {
  const nt = wordAt(bytes, offset + 0x3c);
  if (nt < 0x40 || nt > LEAST_BYTES / 2 || nt % 4 !== 0) return false;
  const optional = wordAt(bytes, offset + nt + 24) & 0xffff;
  return optional === 0x10b || optional === 0x20b;
}

/** A profile may change one of the two marks. */
function hasMark(bytes: Buffer, offset: number, key: number): boolean {
  const isMz = ((bytes.readUInt32LE(offset) ^ key) & 0xffff) === 0x5a4d;
  return isMz || wordAt(bytes, offset + wordAt(bytes, offset + 0x3c)) === 0x4550;
}

/** Any word but the first. */
function wordAt(bytes: Buffer, at: number): number {
  return (bytes.readUInt32LE(at) ^ bytes.readUInt32LE(at - 4)) >>> 0;
}

/** What is left over behind the last 4 bytes is left out. */
export function decodeXorChain(bytes: Buffer, { offset, sizeBytes, key }: XorChain): Buffer {
  const words = Math.floor(Math.min(sizeBytes, bytes.length - offset) / 4);
  const plain = Buffer.allocUnsafe(words * 4);
  let previous = key;
  for (let at = 0; at < words * 4; at += 4) {
    const sealed = bytes.readUInt32LE(offset + at);
    plain.writeUInt32LE((sealed ^ previous) >>> 0, at);
    previous = sealed;
  }
  return plain;
}
