import { createDecipheriv } from 'node:crypto';

/** Settings are short: a certificate among them has some kilobytes, a list of hosts beyond this is no list. */
const MAX_BASE64 = 1024 * 1024;
/** From here on the last block is tried alone before all is. */
const LONG = 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** By its length and its beginning, however long it is. */
export function looksLikeBase64(text: string): boolean {
  return text.length % 4 === 0 && text.length <= MAX_BASE64 && BASE64.test(text.slice(0, 64));
}

/** The bytes behind base64 of the strict kind, which is what .NET writes and takes; nothing for other texts. */
export function base64Bytes(text: string): Buffer | undefined {
  return looksLikeBase64(text) && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

export interface Sealed {
  /** As OpenSSL names it: `aes-256-cbc`. */
  readonly cipher: string;
  readonly key: Buffer;
  readonly iv?: Buffer | undefined;
  readonly bytes: Buffer;
}

/** Nothing where the padding is not the one of PKCS #7, which is how a wrong key shows. */
export function decrypted(sealed: Sealed): Buffer | undefined {
  if (sealed.bytes.length > LONG && unpadded(lastBlock(sealed)) === undefined) return undefined;
  return unpadded(sealed);
}

function unpadded(sealed: Sealed): Buffer | undefined {
  const blocks = decryptedBlocks(sealed);
  const padding = blocks?.at(-1) ?? 0;
  if (blocks === undefined || padding < 1 || padding > blockBytes(sealed.cipher)) return undefined;
  const end = blocks.length - padding;
  return blocks.subarray(end).every((byte) => byte === padding)
    ? blocks.subarray(0, end)
    : undefined;
}

/** In CBC the block before takes the place of the IV. */
function lastBlock(sealed: Sealed): Sealed {
  const { bytes, iv } = sealed;
  const at = bytes.length - blockBytes(sealed.cipher);
  const before = bytes.subarray(at - blockBytes(sealed.cipher), at);
  return { ...sealed, iv: iv === undefined ? undefined : before, bytes: bytes.subarray(at) };
}

/** With whatever padding there is. Nothing where there is no whole number of blocks. */
export function decryptedBlocks({ cipher, key, iv, bytes }: Sealed): Buffer | undefined {
  if (bytes.length === 0 || bytes.length % blockBytes(cipher) !== 0) return undefined;
  const decipher = createDecipheriv(cipher, key, iv ?? null).setAutoPadding(false);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}

export function blockBytes(cipher: string): number {
  return cipher.startsWith('aes-') ? 16 : 8;
}
