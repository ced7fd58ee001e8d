import { createHash, timingSafeEqual } from 'node:crypto';
import { isAddress } from '../search-query.ts';

const WILDCARD = '*.';
const PREFIX = 'rapsheet-verification=';

export const TOKEN_BYTES = 24;
export const WELL_KNOWN_PATH = '/.well-known/rapsheet';

/** The host that is proven for a declared pattern: `*.example.com` and `example.com` share it. */
export function suffixOf(pattern: string): string {
  return pattern.startsWith(WILDCARD) ? pattern.slice(WILDCARD.length) : pattern;
}

export function formatToken(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** What the owner publishes: the whole TXT record, or a line of the file. */
export function challengeOf(token: string): string {
  return `${PREFIX}${token}`;
}

export function recordNameOf(suffix: string): string {
  return `_rapsheet.${suffix}`;
}

/** An address has no TXT records. */
export function hasRecords(suffix: string): boolean {
  return !isAddress(suffix);
}

/**
 * Looks for the challenge among the published texts. `other`: there are only those of somebody
 * else. The comparison takes the same time for every text.
 */
export function findChallenge(
  texts: Iterable<string>,
  token: string,
): 'found' | 'other' | 'absent' {
  const expected = digest(challengeOf(token));
  let found: 'other' | 'absent' = 'absent';
  for (const text of texts) {
    const trimmed = text.trim();
    if (!trimmed.startsWith(PREFIX)) continue;
    if (timingSafeEqual(digest(trimmed), expected)) return 'found';
    found = 'other';
  }
  return found;
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
