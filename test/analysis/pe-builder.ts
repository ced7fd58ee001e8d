/** Builds a Windows program of headers and one section with the given bytes. */
export interface PeParts {
  readonly is64?: boolean;
  /** Section flags; executable, readable and writable by default. */
  readonly characteristics?: number;
}

const PE_IMAGE_BASE = 0x40_0000;
const SECTION_RVA = 0x1000;
const HEADER_BYTES = 0x200;

/** Address of a byte of the content. */
export function addressInPe(offset: number): number {
  return PE_IMAGE_BASE + SECTION_RVA + offset;
}

export function peOf(
  content: Buffer,
  { is64 = false, characteristics = 0xe000_0020 }: PeParts = {},
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const optionalBytes = is64 ? 240 : 224;
  header.write('MZ');
  header.writeUInt32LE(0x40, 0x3c);
  header.write('PE', 0x40);
  header.writeUInt16LE(is64 ? 0x8664 : 0x14c, 0x44);
  header.writeUInt16LE(1, 0x46);
  header.writeUInt16LE(optionalBytes, 0x54);
  const optional = 0x58;
  header.writeUInt16LE(is64 ? 0x20b : 0x10b, optional);
  if (is64) header.writeBigUInt64LE(BigInt(PE_IMAGE_BASE), optional + 24);
  else header.writeUInt32LE(PE_IMAGE_BASE, optional + 28);
  header.writeUInt32LE(0x1000, optional + 32);
  header.writeUInt32LE(0x200, optional + 36);
  const section = optional + optionalBytes;
  header.write('.text', section);
  header.writeUInt32LE(content.length, section + 8);
  header.writeUInt32LE(SECTION_RVA, section + 12);
  header.writeUInt32LE(content.length, section + 16);
  header.writeUInt32LE(HEADER_BYTES, section + 20);
  header.writeUInt32LE(characteristics, section + 36);
  return Buffer.concat([header, content]);
}
