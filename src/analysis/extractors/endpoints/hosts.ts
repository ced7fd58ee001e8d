import { parseC2Address } from '../../../domain/reports/c2-address.ts';
import { isBenignHost, isLikelyHost } from '../../indicators/hosts.ts';
import { isUnroutable, parseHost, parseQuad } from '../../indicators/url.ts';
import { isPlaceholder } from '../setting-texts.ts';
import { parseHostPort, splitList } from './addresses.ts';

/**
 * Recognises hosts and mail addresses by their form, for settings whose field names are missing or
 * wrong.
 */

/** `0.7d` is a valid name, but no top-level domain starts with a digit. */
const VERSION_LIKE = /\.\d+[a-z_]\w*$/i;
const MAX_DOMAIN_LENGTH = 253;

/** A name of two or more labels, an IP address (IPv6 with or without brackets), or `localhost`. */
export function isHost(stated: string): boolean {
  const text = withoutRoot(stated);
  if (text === 'localhost') return true;
  // A defanged host (`a[.]example`) is never a connection target.
  if (!/[.:]/.test(text) || /.[[(]/.test(text)) return false;
  if (text.startsWith('[')) return parseC2Address(`${text}:1`) !== undefined;
  if (text.includes(':')) return parseC2Address(`[${text}]:1`) !== undefined;
  return !VERSION_LIKE.test(text.slice(-8)) && parseC2Address(`${text}:1`) !== undefined;
}

const FILE_NAME =
  /^[^.]+\.(?:bat|bin|bmp|cfg|dat|db|dll|dmp|doc|docx|exe|gif|ini|jpg|js|json|ldb|lnk|log|msi|pdf|png|ps1|sqlite|sys|tmp|txt|vbs|vdf|wallet|xml|zip)$/i;

/** Whether the name of a host is rather that of a file, such as `wallet.dat`. */
export function isFileName(host: string): boolean {
  return FILE_NAME.test(host);
}

/** Removes the trailing dot of a fully qualified name. */
export function withoutRoot(host: string): string {
  return /[^.]\.$/.test(host.slice(-2)) ? host.slice(0, -1) : host;
}

/** Parses `host:port` and checks that the host is one. */
export function parseCheckedHostPort(text: string): { host: string; port: number } | undefined {
  const host = text.slice(0, Math.max(text.lastIndexOf(':'), 0));
  // The last group of a bare IPv6 address would be read as a port.
  if (!isHost(host) || (host.includes(':') && !host.startsWith('['))) return undefined;
  return parseHostPort(text);
}

export function isMailAddress(text: string): boolean {
  const [name = '', host = '', ...more] = text.slice(0, 321).split('@');
  return /^[^\s<>"(),:;]{1,64}$/.test(name) && more.length === 0 && isHost(host);
}

/**
 * The hosts of a comma-separated list that is verified by other means, without `null` and
 * placeholders.
 */
export function listedHosts(text: string): string[] {
  return splitList(text, ',').filter((host) => host !== 'null' && !isPlaceholder(host));
}

/**
 * Parses a text of a Linux bot that is a host and nothing else, in lower case. Reserved addresses
 * and hosts that benign programs contain give `undefined`.
 */
export function parseBotHost(text: string): string | undefined {
  const host = text.length <= MAX_DOMAIN_LENGTH ? parseHost(text) : undefined;
  if (host === undefined) return undefined;
  const quad = parseQuad(host);
  if (quad !== undefined) return isUnroutable(quad) ? undefined : host;
  return isLikelyHost(host) && !isBenignHost(host) ? host : undefined;
}
