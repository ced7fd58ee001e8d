import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The one file in the archive. Its bytes may come from anywhere, in pieces. */
export interface ZipMember {
  /** ASCII. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * The layout, of PKWARE's APPNOTE.TXT (sections 4.3 and 6.1):
 *
 *   bytes  what
 *   30+n   local header and name; the checksum is not known yet, which bit 3 of the flags says
 *   12     encrypted: 11 random bytes, and one by which a wrong password is recognised
 *   …      encrypted: the file as it is
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
/** The first moment that the format knows: a sample has no time of its own that we know. */
const TIME = 0;
const DATE = (1 << 5) | 1;
const SALT_BYTES = 12;
/** Above it the format needs fields that old unpackers do not know. */
const MAX_FILE_BYTES = 0xffff_fffe - SALT_BYTES;

/**
 * A ZIP archive of one file under a password, as samples are customarily handed on: the traditional
 * encryption keeps nobody out, but it keeps virus scanners and double clicks away, and every unpacker knows it.
 * It is made as it is read, in constant memory. Where the source fails or has not the size that was stated, the
 * archive fails too: it is never cut short so that it looks whole.
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

/** The last byte is compared with that of the time, where the checksum comes only later. */
function newSalt(): Buffer {
  const salt = randomBytes(SALT_BYTES);
  salt[SALT_BYTES - 1] = TIME >>> 8;
  return salt;
}

function localHeader(entry: Entry): Buffer {
  return Buffer.concat([u32(LOCAL_HEADER), commonFields(entry), entry.name]);
}

/** What local header and directory say in the same words, from the version to the length of the extra field. */
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
    // Comment, disk and attributes; the local header is the first thing in the archive.
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

/** One step of the CRC-32, for each byte. */
const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The stream cipher of APPNOTE.TXT, section 6.1: three numbers that every byte of the plain text moves on. */
class ZipCipher {
  readonly #keys = Int32Array.of(0x12345678, 0x23456789, 0x34567890);

  constructor(password: string) {
    // What comes out of it is of no use; only the keys move on.
    this.encrypt(Buffer.from(password));
  }

  encrypt(plain: Uint8Array): Buffer {
    const encrypted = Buffer.allocUnsafe(plain.length);
    // The keys as they are now, in plain variables: the loop takes ten times as long with anything else.
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
