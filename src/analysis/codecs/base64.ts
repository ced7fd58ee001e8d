/** A certificate takes some kilobytes. A longer value is not a setting. */
const MAX_BASE64_LENGTH = 1024 * 1024;
const PREFIX_LENGTH = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Checks the length and the first 64 characters only, so the cost does not grow with the text. */
export function looksLikeBase64(text: string): boolean {
  return (
    text.length % 4 === 0 &&
    text.length <= MAX_BASE64_LENGTH &&
    BASE64.test(text.slice(0, PREFIX_LENGTH))
  );
}

/** Decodes padded base64 without line breaks, the only form .NET accepts; `undefined` otherwise. */
export function base64Bytes(text: string): Buffer | undefined {
  return looksLikeBase64(text) && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}
