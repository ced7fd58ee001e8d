import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The only file in the archive. */
export interface ZipMember {
  /** ASCII only. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * The layout of PKWARE's APPNOTE.TXT (sections 4.3 and 6.1):
 *
 *   bytes  what
 *   30+n   local header and name; bit 3 of the flags: the checksum follows the data
 *   12     encrypted: 11 random bytes, and one that reveals a wrong password
 *   …      encrypted: the file, uncompressed
 *   16     descriptor: checksum and sizes
 *   46+n   entry of the directory
 *   22     end of the directory
 */
const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_END = 0x06054b50;

const VERSION = 20;
const ENCRYPTED_WITH_DESCRIPTOR = 0b1001;
const STORED = 0;
/** The earliest date of the format: the time of a sample is not known. */
const TIME = 0;
const DATE = (1 << 5) | 1;
const SALT_BYTES = 12;
/** Larger files need ZIP64, which old unpackers do not support. */
const MAX_FILE_BYTES = 0xffff_fffe - SALT_BYTES;

/**
 * A password-protected ZIP archive of one file, as samples are customarily exchanged. The
 * traditional encryption is not secure, but it prevents virus scanners and double clicks from
 * opening the sample, and every unpacker supports it. The archive is streamed in constant memory.
 * If the source fails or does not have the stated size, the stream fails too, so that a truncated
 * archive never looks complete.
 */
export async function* encryptedZip(
  { name, sizeBytes, bytes }: ZipMember,
  password: string,
): AsyncGenerator<Uint8Array, void> {
  if (sizeBytes > MAX_FILE_BYTES) throw new Error(`a file of ${sizeBytes} bytes is too large`);
  const cipher = new ZipCipher(password);
  const entry: Entry = { name: Buffer.from(name, 'latin1'), sizeBytes, checksum: 0 };
  yield Buffer.concat([localHeader(entry), cipher.encrypt(newSalt())]);
  let count = 0;
  for await (const piece of bytes) {
    count += piece.length;
    if (count > sizeBytes) break;
    entry.checksum = crc32(piece, entry.checksum);
    yield cipher.encrypt(piece);
  }
  if (count !== sizeBytes) throw new Error(`the file has ${count} bytes, not ${sizeBytes}`);
  yield Buffer.concat([descriptor(entry), directory(entry)]);
}

interface Entry {
  readonly name: Buffer;
  readonly sizeBytes: number;
  checksum: number;
}

/** Unpackers compare the last byte with the time if the checksum follows the data. */
function newSalt(): Buffer {
  const salt = randomBytes(SALT_BYTES);
  salt[SALT_BYTES - 1] = TIME >>> 8;
  return salt;
}

function localHeader(entry: Entry): Buffer {
  return Buffer.concat([u32(LOCAL_HEADER), commonFields(entry), entry.name]);
}

/**
 * The fields that local header and directory entry share, from the version to the length of the
 * extra field.
 */
function commonFields({ name, sizeBytes, checksum }: Entry): Buffer {
  return Buffer.concat([
    u16(VERSION, ENCRYPTED_WITH_DESCRIPTOR, STORED, TIME, DATE),
    u32(checksum, sizeBytes + SALT_BYTES, sizeBytes),
    u16(name.length, 0),
  ]);
}

function descriptor({ checksum, sizeBytes }: Entry): Buffer {
  return u32(DESCRIPTOR, checksum, sizeBytes + SALT_BYTES, sizeBytes);
}

function directory(entry: Entry): Buffer {
  const { name, sizeBytes } = entry;
  const listed = Buffer.concat([
    u32(DIRECTORY_ENTRY),
    u16(VERSION),
    commonFields(entry),
    // Comment, disk and attributes; the local header is at offset 0.
    u16(0, 0, 0),
    u32(0, 0),
    name,
  ]);
  const begin = localHeader(entry).length + SALT_BYTES + sizeBytes + descriptor(entry).length;
  return Buffer.concat([
    listed,
    u32(DIRECTORY_END),
    u16(0, 0, 1, 1),
    u32(listed.length, begin),
    u16(0),
  ]);
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

/** The CRC-32 table. */
const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/**
 * The stream cipher of APPNOTE.TXT, section 6.1: three keys that every byte of the plain text
 * updates.
 */
class ZipCipher {
  readonly #keys = Int32Array.of(0x12345678, 0x23456789, 0x34567890);

  constructor(password: string) {
    // Only updates the keys; the output is discarded.
    this.encrypt(Buffer.from(password));
  }

  encrypt(plain: Uint8Array): Buffer {
    const encrypted = Buffer.allocUnsafe(plain.length);
    // Local variables: the loop is ten times slower if it accesses the array.
    let [first = 0, second = 0, third = 0] = this.#keys;
    for (let index = 0; index < plain.length; index += 1) {
      const byte = plain[index] ?? 0;
      const mixed = third | 2;
      encrypted[index] = byte ^ (Math.imul(mixed & 0xffff, (mixed ^ 1) & 0xffff) >>> 8);
      first = (first >>> 8) ^ (CRC_TABLE[(first ^ byte) & 0xff] ?? 0);
      second = (Math.imul(second + (first & 0xff), 134_775_813) + 1) | 0;
      third = (third >>> 8) ^ (CRC_TABLE[(third ^ (second >>> 24)) & 0xff] ?? 0);
    }
    this.#keys.set([first, second, third]);
    return encrypted;
  }
}
