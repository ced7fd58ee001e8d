import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { SECRET_KEY_BYTES } from '../domain/secret-key.ts';
import type { Sealer } from '../ports/outgoing.ts';

/**
 * The stored form of a secret:
 *
 *   offset  bytes  what
 *   0       1      version: 1
 *   1       12     nonce
 *   13      16     tag over the secret and its owner
 *   29      …      the secret, AES-256-GCM
 *
 * The key is not stored in the database, so a copy of the database alone does not reveal a secret.
 */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const ALGORITHM = 'aes-256-gcm';
/** The length of the HMAC that identifies a key. */
const KEY_ID_BYTES = 8;
const KEY_ID_TEXT = 'rapsheet: id of the key for secrets';

export function createSealer(key: Uint8Array): Sealer {
  if (key.length !== SECRET_KEY_BYTES)
    throw new RangeError(`a key for secrets has ${SECRET_KEY_BYTES} bytes`);
  const keyId = keyIdOf(key);
  return {
    keyId,
    seal(secret, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
      const bytes = Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
      return { sealed: bytes, keyId };
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed);
      if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) return undefined;
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEADER_BYTES));
      const secret = decipher.update(bytes.subarray(HEADER_BYTES));
      try {
        decipher.final();
        return secret;
      } catch {
        // The tag does not match: another key or owner, or changed bytes.
        return undefined;
      }
    },
  };
}

function keyIdOf(key: Uint8Array): string {
  const digest = createHmac('sha256', key).update(KEY_ID_TEXT).digest();
  return digest.subarray(0, KEY_ID_BYTES).toString('hex');
}
