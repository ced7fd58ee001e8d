/**
 * Characters that end a line in some reader, or that no reader shows: controls, format marks,
 * surrogates, private and unassigned code points, and the separators of lines and paragraphs.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** One line of visible text. */
export function plainText(text: string): string {
  return text.replace(UNSAFE, ' ').trim();
}

const HOST = /^[0-9a-z._:-]{1,253}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** A canonical name or address, IPv6 without brackets. */
export function isHostText(host: string): boolean {
  return HOST.test(host);
}

export function isSha256Text(text: string): boolean {
  return SHA256.test(text);
}

const DOTTED_QUAD = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/;

export type HostKind = 'name' | 'ipv4' | 'ipv6';

/** What a canonical host is. */
export function kindOfHost(host: string): HostKind {
  if (host.includes(':')) return 'ipv6';
  return DOTTED_QUAD.test(host) ? 'ipv4' : 'name';
}
