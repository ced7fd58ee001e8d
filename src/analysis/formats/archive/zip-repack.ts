import { extraField, type ZipEntry } from './zip-directory.ts';

/**
 * Builds a small ZIP of some entries of another, for 7-Zip, which supports more methods. Each entry
 * is named by its index, and the directory is valid even if that of the original was not.
 */
export function repackZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [index, entry] of entries.entries()) {
    const name = Buffer.from(String(index));
    const extra = aesField(entry.extra);
    const common = commonFields(entry, name.length, extra.length);
    const local = Buffer.concat([LOCAL_SIGNATURE, common, name, extra]);
    parts.push(local, entry.content);
    directory.push(DIRECTORY_SIGNATURE, common, directoryFields(offset), name, extra);
    offset += local.length + entry.content.length;
  }
  const index = Buffer.concat(directory);
  return Buffer.concat([...parts, index, endRecord(entries.length, index.length, offset)]);
}

const LOCAL_SIGNATURE = Buffer.from('PK\x03\x04', 'latin1');
/** With "made by" version 6.3. */
const DIRECTORY_SIGNATURE = Buffer.from('PK\x01\x02\x3f\0', 'latin1');
const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');
const AES_FIELD = 0x9901;
/**
 * Encryption, its use of the time instead of the checksum, and options of LZMA and other methods.
 */
const COPIED_FLAGS = 0x000f;

/** From "version needed" to the lengths: the same in both headers. */
function commonFields(entry: ZipEntry, nameBytes: number, extraBytes: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(63, 0);
  fields.writeUInt16LE(entry.flags & COPIED_FLAGS, 2);
  fields.writeUInt16LE(entry.method, 4);
  fields.writeUInt32LE(entry.time, 6);
  fields.writeUInt32LE(entry.crc, 10);
  fields.writeUInt32LE(entry.content.length, 14);
  fields.writeUInt32LE(Math.min(entry.sizeBytes, 0xfffffffe), 18);
  fields.writeUInt16LE(nameBytes, 22);
  fields.writeUInt16LE(extraBytes, 24);
  return fields;
}

function directoryFields(offset: number): Buffer {
  const fields = Buffer.alloc(14);
  fields.writeUInt32LE(offset, 10);
  return fields;
}

/**
 * The extra field of an AES entry: encryption and packing method. Other extra fields are not
 * needed.
 */
function aesField(extra: Buffer): Buffer {
  const field = extraField(extra, AES_FIELD);
  if (field === undefined) return Buffer.alloc(0);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(AES_FIELD, 0);
  head.writeUInt16LE(field.length, 2);
  return Buffer.concat([head, field]);
}

function endRecord(count: number, directoryBytes: number, offset: number): Buffer {
  const fields = Buffer.alloc(18);
  fields.writeUInt16LE(count, 4);
  fields.writeUInt16LE(count, 6);
  fields.writeUInt32LE(directoryBytes, 8);
  fields.writeUInt32LE(offset, 12);
  return Buffer.concat([END_SIGNATURE, fields]);
}
