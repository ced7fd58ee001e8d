import { Reader } from '../../reader.ts';

/**
 * The number of key derivation rounds of an encrypted archive is chosen by its author: it takes
 * from milliseconds to half a minute, and the derivation cannot be interrupted. The number is
 * stated unencrypted, as a power of two:
 *
 *   7z    in the header that the first 32 bytes point to (+12 offset u64, +20 size u64), if it is
 *         not packed: codec id 06 F1 07 01 | size of properties u8 | rounds in bits 0-5
 *   RAR5  blocks: crc u32 | header size v | type v | flags v | extra size v, if bit 0 |
 *         data size v, if bit 1 | …
 *         type 4: version v | flags v | rounds u8
 *         types 2 and 3, in the extra area at the end of the header: size v | type v;
 *         of type 1: version v | flags v | rounds u8
 *
 * v is an integer in groups of seven bits, lowest first; bit 7 marks that another group follows.
 * Reference: 7zFormat.txt of 7-Zip; RAR 5.0 archive format of RARLAB.
 */
export function hasCostlyKey(bytes: Buffer, type: string): boolean {
  const reader = new Reader(bytes);
  if (type === '7z') return sevenRounds(reader) > MAX_SEVEN_ROUNDS;
  return type === 'Rar5' && rarRounds(reader) > MAX_RAR_ROUNDS;
}

/** Twice and eight times what the packers write themselves: 19 and 15. */
const MAX_SEVEN_ROUNDS = 20;
const MAX_RAR_ROUNDS = 18;

const SEVEN_HEADER_BYTES = 32;
const SEVEN_AES = Buffer.from('06f10701', 'hex');

function sevenRounds(reader: Reader): number {
  const start = SEVEN_HEADER_BYTES + (reader.u64(12) ?? 0);
  const header = reader.upTo(start, reader.u64(20) ?? 0);
  let rounds = 0;
  for (let at = header.indexOf(SEVEN_AES); at !== -1; at = header.indexOf(SEVEN_AES, at + 4))
    rounds = Math.max(rounds, (header[at + 5] ?? 0) & 0x3f);
  return rounds;
}

const RAR_SIGNATURE_BYTES = 8;
const MAX_BLOCKS = 10_000;
const FILE = 2;
const SERVICE = 3;
const ENCRYPTION = 4;

function rarRounds(reader: Reader): number {
  let rounds = 0;
  let at = RAR_SIGNATURE_BYTES;
  for (let count = 0; count < MAX_BLOCKS; count += 1) {
    const cursor = new Cursor(reader, at + 4);
    const headerSize = cursor.next();
    const end = cursor.at + headerSize;
    const type = cursor.next();
    const flags = cursor.next();
    const extraSize = (flags & 1) === 0 ? 0 : cursor.next();
    const dataSize = (flags & 2) === 0 ? 0 : cursor.next();
    if (type === ENCRYPTION) return Math.max(rounds, roundsAt(cursor));
    if (type === FILE || type === SERVICE)
      rounds = Math.max(rounds, roundsInExtra(reader, end - extraSize, end));
    at = end + dataSize;
    if (headerSize === 0 || !reader.has(at, 8)) break;
  }
  return rounds;
}

function roundsInExtra(reader: Reader, start: number, end: number): number {
  for (let at = start; at < end; ) {
    const cursor = new Cursor(reader, at);
    const size = cursor.next();
    if (size === 0) return 0;
    at = cursor.at + size;
    if (cursor.next() === 1) return roundsAt(cursor);
  }
  return 0;
}

/** The rounds follow a version and flags. */
function roundsAt(cursor: Cursor): number {
  cursor.next();
  cursor.next();
  return cursor.next();
}

/** Reads consecutive integers; 0 past the end. */
class Cursor {
  readonly #reader: Reader;
  at: number;

  constructor(reader: Reader, at: number) {
    this.#reader = reader;
    this.at = at;
  }

  next(): number {
    let value = 0;
    for (let group = 0; group < 7; group += 1) {
      const byte = this.#reader.u8(this.at) ?? 0;
      this.at += 1;
      value += (byte & 0x7f) * 2 ** (7 * group);
      if (byte < 0x80) return value;
    }
    return value;
  }
}
