import { Reader } from '../../reader.ts';

/**
 * An object in the format of OLE 1.0, which RTF still uses. [MS-OLEDS] 2.2.5.
 *
 * | bytes | content                                             |
 * |-------|-----------------------------------------------------|
 * | 4     | version, ignored                                    |
 * | 4     | 1 linked, 2 embedded                                |
 * | 4 + … | class, topic, item: each with its length            |
 * | 4 + … | the data: usually a compound file or a package      |
 */
export interface EmbeddedObject {
  readonly className: string;
  readonly data: Buffer;
}

const EMBEDDED = 2;
const MAX_NAME = 1024;

export function parseEmbeddedObject(bytes: Buffer): EmbeddedObject | undefined {
  const reader = new Reader(bytes);
  if (reader.u32(4) !== EMBEDDED) return undefined;
  let at = 8;
  let className = '';
  for (let field = 0; field < 3; field += 1) {
    const length = reader.u32(at);
    if (length === undefined || length > MAX_NAME) return undefined;
    if (field === 0) className = reader.text(at + 4, length) ?? '';
    at += 4 + length;
  }
  // The stated length is often forged; readers accept a shorter object.
  return reader.has(at, 4)
    ? { className, data: reader.upTo(at + 4, reader.u32(at) ?? 0) }
    : undefined;
}
