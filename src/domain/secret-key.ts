/** The size of an AES-256 key. */
export const SECRET_KEY_BYTES = 32;

/** Parses 64 hexadecimal digits, or base64 in either alphabet. */
export function parseSecretKey(text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === SECRET_KEY_BYTES ? bytes : undefined;
}
