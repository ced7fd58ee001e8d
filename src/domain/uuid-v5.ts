import { hash } from 'node:crypto';

const UUID_BYTES = 16;
/** Longer names get a buffer of their own. */
const BUFFER_BYTES = 2048;

/** A UUID of a name within a namespace: RFC 9562, section 5.5. */
export function uuidV5(namespace: string, name: string): string {
  const buffer = bufferOf(namespace);
  const isShort = UUID_BYTES + 3 * name.length <= BUFFER_BYTES;
  const bytes = isShort
    ? buffer.subarray(0, UUID_BYTES + buffer.write(name, UUID_BYTES))
    : Buffer.concat([buffer.subarray(0, UUID_BYTES), Buffer.from(name)]);
  const hex = hash('sha1', bytes, 'hex');
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 0x3);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Each starts with the bytes of its namespace. Exports ask for millions of ids of a few. */
const buffers = new Map<string, Buffer>();
const MAX_BUFFERS = 8;

function bufferOf(namespace: string): Buffer {
  let buffer = buffers.get(namespace);
  if (buffer === undefined) {
    buffer = Buffer.alloc(BUFFER_BYTES);
    buffer.write(namespace.replaceAll('-', ''), 'hex');
    if (buffers.size >= MAX_BUFFERS) buffers.clear();
    buffers.set(namespace, buffer);
  }
  return buffer;
}
