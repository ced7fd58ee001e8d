/**
 * The hashes of a lookup. SHA-256 and BLAKE3 have the same length and cannot be distinguished, so a
 * lookup tries SHA-256 first, then BLAKE3.
 */
export type HashKind = 'sha256' | 'blake3' | 'sha512';

export interface FileHash {
  /** Lower-case hexadecimal. */
  readonly hex: string;
  /** In the order of the lookup. */
  readonly kinds: readonly HashKind[];
}

const SHORT: readonly HashKind[] = ['sha256', 'blake3'];
const LONG: readonly HashKind[] = ['sha512'];
const HEX = /^[0-9a-f]+$/;

export function parseFileHash(text: string): FileHash | undefined {
  if (text.length !== 64 && text.length !== 128) return undefined;
  const hex = toLowerHex(text);
  return hex === undefined ? undefined : { hex, kinds: hex.length === 64 ? SHORT : LONG };
}

/** A digest of `bytes` bytes in hexadecimal of any case. Returns lower case. */
export function parseHexDigest(text: string, bytes: number): string | undefined {
  if (text.length !== bytes * 2) return undefined;
  return toLowerHex(text);
}

function toLowerHex(text: string): string | undefined {
  // Most are in lower case already.
  if (HEX.test(text)) return text;
  const hex = text.toLowerCase();
  return HEX.test(hex) ? hex : undefined;
}

export function parseSha256(text: string): string | undefined {
  return parseHexDigest(text, 32);
}
