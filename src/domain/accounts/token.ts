import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Who accepts a secret: the header of a request, its cookie, or the page of a sign-in link. */
export type SecretKind = 'token' | 'session' | 'link';

/**
 * A token, and likewise the secret of a session or of a sign-in link, each with its own prefix:
 *
 *   "rap_" | 32 characters base64url: 24 random bytes | 6 characters base64url: CRC-32 of the rest
 *
 * With the prefix and the checksum, a scanner recognises a leaked token offline, and the server
 * refuses a mistyped one without a query.
 */
const PREFIXES: Readonly<Record<SecretKind, string>> = {
  token: 'rap_',
  session: 'ras_',
  link: 'ral_',
};
export const TOKEN_RANDOM_BYTES = 24;
const PREFIX_LENGTH = 4;
const BODY_LENGTH = PREFIX_LENGTH + 32;
export const TOKEN_LENGTH = BODY_LENGTH + 6;
const SECRET = /^[a-z]{3}_[A-Za-z0-9_-]{38}$/;

export function formatToken(random: Uint8Array): string {
  return formatSecret('token', random);
}

export function formatSecret(kind: SecretKind, random: Uint8Array): string {
  if (random.length !== TOKEN_RANDOM_BYTES)
    throw new RangeError(`a ${kind} needs ${TOKEN_RANDOM_BYTES} bytes`);
  const body = PREFIXES[kind] + Buffer.from(random).toString('base64url');
  return body + checksum(body);
}

export function isToken(text: string): boolean {
  return isSecret('token', text);
}

export function isSecret(kind: SecretKind, text: string): boolean {
  return (
    SECRET.test(text) &&
    text.startsWith(PREFIXES[kind]) &&
    text.slice(BODY_LENGTH) === checksum(text.slice(0, BODY_LENGTH))
  );
}

/** Stored instead of the token. A token has 192 random bits, so a plain digest is safe. */
export function digestToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The first characters, by which its owner recognises a token in a list. */
export function tokenHint(token: string): string {
  return `${token.slice(0, PREFIX_LENGTH + 4)}…`;
}

function checksum(body: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return sum.toString('base64url');
}
