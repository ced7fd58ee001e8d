/**
 * The subset of ASN.1 DER that signatures need: tag u8, length (one byte, or 0x80 + n and n bytes),
 * content. Nothing is copied and elements are parsed on demand, so a forged length or depth costs
 * nothing. Reference: ITU-T X.690.
 */
export interface Der {
  readonly tag: number;
  readonly content: Buffer;
  /** Including tag and length. */
  readonly whole: Buffer;
}

export const DER = {
  integer: 0x02,
  octets: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context1: 0xa1,
} as const;

const MAX_LENGTH_BYTES = 4;
const MAX_CHILDREN = 64;

/** The element at the start of the bytes; following bytes are ignored. */
export function readDer(bytes: Buffer): Der | undefined {
  const tag = bytes[0];
  const first = bytes[1];
  if (tag === undefined || first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  // 0x80 alone is the indefinite length, which DER does not allow.
  if (first === 0x80 || lengthBytes > MAX_LENGTH_BYTES || bytes.length < 2 + lengthBytes) {
    return undefined;
  }
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (start + length > bytes.length) return undefined;
  const end = start + length;
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(0, end) };
}

/**
 * The child elements, up to the first unreadable one and to a limit above that of real signatures.
 */
export function childrenOf(parent: Der | undefined): readonly Der[] {
  const children: Der[] = [];
  let remaining = parent?.content ?? Buffer.alloc(0);
  while (remaining.length > 0 && children.length < MAX_CHILDREN) {
    const child = readDer(remaining);
    if (child === undefined) break;
    children.push(child);
    remaining = remaining.subarray(child.whole.length);
  }
  return children;
}

/** The content of an object identifier, in hexadecimal; empty for other elements. */
export function oidOf(element: Der | undefined): string {
  return element?.tag === DER.oid ? element.content.toString('hex') : '';
}
