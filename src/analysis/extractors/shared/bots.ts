import { isBenignHost, isLikelyHost } from '../../indicators/hosts.ts';
import { isUnroutable, parseHost, parseQuad } from '../../indicators/url.ts';

/** What extractors of bots for Linux devices share. */
const ELF_MAGIC = 0x7f454c46;
const LONGEST_HOST = 253;

export function isElf(bytes: Buffer): boolean {
  return bytes.length >= 52 && bytes.readUInt32BE(0) === ELF_MAGIC;
}

/** A text that is a host and nothing else, in lower case; not such as stand in harmless programs. */
export function botHost(text: string): string | undefined {
  const host = text.length <= LONGEST_HOST ? parseHost(text) : undefined;
  if (host === undefined) return undefined;
  const quad = parseQuad(host);
  if (quad !== undefined) return isUnroutable(quad) ? undefined : host;
  return isLikelyHost(host) && !isBenignHost(host) ? host : undefined;
}
