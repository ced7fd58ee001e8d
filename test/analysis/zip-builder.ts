import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a crafted ZIP, whose headers may be wrong. */
export interface BuiltEntry {
  readonly name: string;
  readonly content: Buffer;
  readonly deflate?: boolean;
  /** Overrides of header fields. */
  readonly statedSize?: number;
  readonly statedPacked?: number;
  readonly flags?: number;
  /** Offset of the local header in the directory; if set, no local header is written. */
  readonly sharedOffset?: number;
}

export function buildZip(entries: readonly BuiltEntry[], directoryToo = true): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const packed = entry.deflate === true ? deflateRawSync(entry.content) : entry.content;
    const name = Buffer.from(entry.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (entry.flags ?? 0), 2);
    common.writeUInt16LE(entry.deflate === true ? 8 : 0, 4);
    common.writeUInt32LE(0x00210000, 6);
    common.writeUInt32LE(crc32(entry.content), 10);
    common.writeUInt32LE(entry.statedPacked ?? packed.length, 14);
    common.writeUInt32LE(entry.statedSize ?? entry.content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(entry.sharedOffset ?? offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, tail, name);
    if (entry.sharedOffset !== undefined) continue;
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, packed]);
    parts.push(local);
    offset += local.length;
  }
  if (!directoryToo) return Buffer.concat(parts);
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length & 0xffff, 8);
  end.writeUInt16LE(entries.length & 0xffff, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, index, end]);
}
