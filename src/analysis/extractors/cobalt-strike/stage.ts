/**
 * An encoded Cobalt Strike stage:
 *
 *   stub, some hundred bytes | nonce u32 | size u32, XORed with the nonce | encoded program
 *
 * The stub ends with a backward call, E8 .. FF FF FF, to get its own address. Each word of 4 bytes
 * is XORed with the encoded word before it; the first word with the nonce or with the encoded size.
 *
 * Reference: https://dissect-cobaltstrike.readthedocs.io/ (XorEncodedFile)
 */
export interface XorChain {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly key: number;
}

const STUB_BYTES = 1024;
/** Sizes of beacons. */
const MIN_PROGRAM_BYTES = 0x800;
const MAX_PROGRAM_BYTES = 8 * 1024 * 1024;

/** Part of the file that is searched for stubs. */
const SEARCHED_BYTES = 2 * 1024 * 1024;
const BACKWARD_OFFSET = Buffer.from('ffffff', 'hex');
const CALL = 0xe8;
/** Unused space may consist of FF bytes. */
const MAX_CALLS = 0x4000;

/** The first valid size followed by a program, near the start of the file or after a stub. */
export function findXorChain(bytes: Buffer): XorChain | undefined {
  const last = bytes.length - 8 - MIN_PROGRAM_BYTES;
  for (let at = 0; at <= Math.min(STUB_BYTES, last); at += 1) {
    const chain = chainAt(bytes, at);
    if (chain !== undefined) return chain;
  }
  const start = bytes.subarray(0, SEARCHED_BYTES);
  let call = start.indexOf(BACKWARD_OFFSET, STUB_BYTES);
  for (let attempts = 0; call !== -1 && attempts < MAX_CALLS; attempts += 1) {
    const at = call + BACKWARD_OFFSET.length;
    if (at > last) return undefined;
    const chain = bytes[call - 2] === CALL ? chainAt(bytes, at) : undefined;
    if (chain !== undefined) return chain;
    call = start.indexOf(BACKWARD_OFFSET, call + 1);
  }
  return undefined;
}

function chainAt(bytes: Buffer, at: number): XorChain | undefined {
  const nonce = bytes.readUInt32LE(at);
  const encodedSize = bytes.readUInt32LE(at + 4);
  const sizeBytes = (nonce ^ encodedSize) >>> 0;
  const offset = at + 8;
  if (
    sizeBytes < MIN_PROGRAM_BYTES ||
    sizeBytes > Math.min(MAX_PROGRAM_BYTES, bytes.length - offset)
  )
    return undefined;
  if (!hasHeader(bytes, offset)) return undefined;
  const key = [nonce, encodedSize].find((one) => hasSignature(bytes, offset, one));
  return key === undefined ? undefined : { offset, sizeBytes, key };
}

/** Decodes single words only: many numbers in a file look like a valid size. */
function hasHeader(bytes: Buffer, offset: number): boolean {
  const nt = wordAt(bytes, offset + 0x3c);
  if (nt < 0x40 || nt > MIN_PROGRAM_BYTES / 2 || nt % 4 !== 0) return false;
  const optional = wordAt(bytes, offset + nt + 24) & 0xffff;
  return optional === 0x10b || optional === 0x20b;
}

/** Checks MZ or PE: a malleable profile may change one of them. */
function hasSignature(bytes: Buffer, offset: number, key: number): boolean {
  const isMz = ((bytes.readUInt32LE(offset) ^ key) & 0xffff) === 0x5a4d;
  return isMz || wordAt(bytes, offset + wordAt(bytes, offset + 0x3c)) === 0x4550;
}

/** Decodes any word but the first. */
function wordAt(bytes: Buffer, at: number): number {
  return (bytes.readUInt32LE(at) ^ bytes.readUInt32LE(at - 4)) >>> 0;
}

/** Drops an incomplete word at the end. */
export function decodeXorChain(bytes: Buffer, { offset, sizeBytes, key }: XorChain): Buffer {
  const words = Math.floor(Math.min(sizeBytes, bytes.length - offset) / 4);
  const plain = Buffer.allocUnsafe(words * 4);
  let previous = key;
  for (let at = 0; at < words * 4; at += 4) {
    const encoded = bytes.readUInt32LE(offset + at);
    plain.writeUInt32LE((encoded ^ previous) >>> 0, at);
    previous = encoded;
  }
  return plain;
}
