/**
 * The little of ASN.1's distinguished encoding that signatures need: tag u8, length (one byte, or 0x80 + n
 * and n bytes), content. Nothing is copied and only what is asked for is looked at, so that a forged length
 * or depth costs nothing. Reference: ITU-T X.690.
 */
export interface Der {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length included. */
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

/** The element at the start of the bytes; whatever follows it is left alone. */
export function readDer(bytes: Buffer): Der | undefined {
  const tag = bytes[0];
  const first = bytes[1];
  if (tag === undefined || first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  // 0x80 alone would be a length that is found at the end: not allowed in this encoding.
  if (first === 0x80 || lengthBytes > MAX_LENGTH_BYTES || bytes.length < 2 + lengthBytes) {
    return undefined;
  }
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  if (start + length > bytes.length) return undefined;
  const end = start + length;
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(0, end) };
}

/** The elements inside of one, as far as they can be read, and no more than any signature has. */
export function childrenOf(parent: Der | undefined): readonly Der[] {
  const children: Der[] = [];
  let rest = parent?.content ?? Buffer.alloc(0);
  while (rest.length > 0 && children.length < MAX_CHILDREN) {
    const child = readDer(rest);
    if (child === undefined) break;
    children.push(child);
    rest = rest.subarray(child.whole.length);
  }
  return children;
}

/** The content of an object identifier, in hexadecimal; empty for anything else. */
export function oidOf(element: Der | undefined): string {
  return element?.tag === DER.oid ? element.content.toString('hex') : '';
}
