import { createDecipheriv } from 'node:crypto';

/** For longer ciphertexts the padding of the last block is checked before the rest is decrypted. */
const LONG_CIPHERTEXT_BYTES = 1024;

export interface Ciphertext {
  /** As OpenSSL names it: `aes-256-cbc`. */
  readonly cipher: string;
  readonly key: Buffer;
  readonly iv?: Buffer | undefined;
  readonly bytes: Buffer;
}

/**
 * The plaintext without its PKCS #7 padding; `undefined` if the padding is wrong, as under a wrong
 * key.
 */
export function decrypt(ciphertext: Ciphertext): Buffer | undefined {
  const isLong = ciphertext.bytes.length > LONG_CIPHERTEXT_BYTES;
  if (isLong && decryptPadded(lastBlock(ciphertext)) === undefined) return undefined;
  return decryptPadded(ciphertext);
}

function decryptPadded(ciphertext: Ciphertext): Buffer | undefined {
  const blocks = decryptBlocks(ciphertext);
  const padding = blocks?.at(-1) ?? 0;
  if (blocks === undefined || padding < 1 || padding > blockBytes(ciphertext.cipher))
    return undefined;
  const end = blocks.length - padding;
  return blocks.subarray(end).every((byte) => byte === padding)
    ? blocks.subarray(0, end)
    : undefined;
}

/** In CBC the preceding ciphertext block serves as the IV. */
function lastBlock(ciphertext: Ciphertext): Ciphertext {
  const { bytes, iv } = ciphertext;
  const at = bytes.length - blockBytes(ciphertext.cipher);
  const before = bytes.subarray(at - blockBytes(ciphertext.cipher), at);
  return { ...ciphertext, iv: iv === undefined ? undefined : before, bytes: bytes.subarray(at) };
}

/** Keeps the padding. Returns `undefined` unless the length is a multiple of the block size. */
export function decryptBlocks({ cipher, key, iv, bytes }: Ciphertext): Buffer | undefined {
  if (bytes.length === 0 || bytes.length % blockBytes(cipher) !== 0) return undefined;
  const decipher = createDecipheriv(cipher, key, iv ?? null).setAutoPadding(false);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}

export function blockBytes(cipher: string): number {
  return cipher.startsWith('aes-') ? 16 : 8;
}
