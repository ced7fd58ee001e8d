/**
 * A program behind a stub that decodes it, as Cobalt Strike writes its stages:
 *
 *   stub, some hundred bytes | nonce u32 | size u32, XORed with the nonce | the program
 *
 * The stub ends with a call backwards, E8 .. FF FF FF, by which it learns where the rest stands.
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

/** How far into a file stubs are looked for. */
const REACH_BYTES = 2 * 1024 * 1024;
const BACKWARDS = Buffer.from('ffffff', 'hex');
const CALL = 0xe8;
/** Room that was never filled may be all of it FF. */
const MOST_CALLS = 0x4000;

/** The first place where a size that fits is followed by a program: near the beginning, or behind the end of a stub. */
export function findXorChain(bytes: Buffer): XorChain | undefined {
  const last = bytes.length - 8 - LEAST_BYTES;
  for (let at = 0; at <= Math.min(STUB_BYTES, last); at += 1) {
    const chain = chainAt(bytes, at);
    if (chain !== undefined) return chain;
  }
  const start = bytes.subarray(0, REACH_BYTES);
  let call = start.indexOf(BACKWARDS, STUB_BYTES);
  for (let tries = 0; call !== -1 && tries < MOST_CALLS; tries += 1) {
    const at = call + BACKWARDS.length;
    if (at > last) return undefined;
    const chain = bytes[call - 2] === CALL ? chainAt(bytes, at) : undefined;
    if (chain !== undefined) return chain;
    call = start.indexOf(BACKWARDS, call + 1);
  }
  return undefined;
}

function chainAt(bytes: Buffer, at: number): XorChain | undefined {
  const nonce = bytes.readUInt32LE(at);
  const sealedSize = bytes.readUInt32LE(at + 4);
  const sizeBytes = (nonce ^ sealedSize) >>> 0;
  const offset = at + 8;
  if (sizeBytes < LEAST_BYTES || sizeBytes > Math.min(MOST_BYTES, bytes.length - offset))
    return undefined;
  if (!hasHeader(bytes, offset)) return undefined;
  const key = [nonce, sealedSize].find((one) => hasMark(bytes, offset, one));
  return key === undefined ? undefined : { offset, sizeBytes, key };
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
