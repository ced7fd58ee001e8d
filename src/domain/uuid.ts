import { hash } from 'node:crypto';

const UUID_BYTES = 16;
/** Longer names get a buffer of their own. */
const BUFFER_BYTES = 2048;

/**
 * UUID version 7 (RFC 9562, section 5.7):
 *
 *   48 bits of Unix milliseconds | 4 bits version | 12 random | 2 bits variant | 62 random
 *
 * Later ids sort later, so their index grows at its end.
 */
export function formatUuidV7(now: Date, random: Uint8Array): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  const hex = Buffer.from(random.buffer, random.byteOffset, 10).toString('hex');
  const variant = (0x8 | (Number.parseInt(hex.charAt(3), 16) & 0x3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
}

/**
 * A UUID of 16 bytes that were computed or drawn elsewhere. Sets only its version and variant
 * (RFC 9562, section 4).
 */
export function formatUuid(bytes: Uint8Array, version: 4 | 5 | 7 | 8): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  const variant = (0x8 | (Number.parseInt(hex.charAt(16), 16) & 0x3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** A UUID of a name within a namespace: version 5 (RFC 9562, section 5.5). */
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
    buffer.set(uuidBytes(namespace));
    if (buffers.size >= MAX_BUFFERS) buffers.clear();
    buffers.set(namespace, buffer);
  }
  return buffer;
}

/** The 16 bytes of a valid UUID. */
export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Accepts any version, in any case. Returns lower case. */
export function parseUuid(text: string): string | undefined {
  // Most are in lower case already.
  if (UUID.test(text)) return text;
  const lower = text.toLowerCase();
  return UUID.test(lower) ? lower : undefined;
}
