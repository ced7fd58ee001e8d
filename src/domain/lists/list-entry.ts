import { parseAddress } from '../ip-address.ts';
import { isPublicSuffix, isRegistrySuffix } from '../public-suffix.ts';
import { parseAllowedHost } from '../reports/allow-list.ts';
import type { ListKind } from './list-kind.ts';

/**
 * An entry of a list in its canonical form. The forms differ by their first character or length:
 *
 *   example.com      the name and all names below it
 *   =example.com     the name alone
 *   192.0.2.0/24     a network; an address is the network of this address alone
 *   64 hex digits    the SHA-256 of a file; a label of a name has at most 63 characters
 */
export type ListEntry = string;

export const EXACT = '=';
/** The longest name and the mark before it. */
const MAX_ENTRY_LENGTH = 254;

const SHA256 = /^[0-9a-f]{64}$/i;
const OTHER_DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{128})$/i;

/**
 * The shortest prefixes of an entry. One of `0.0.0.0/0` would call everybody innocent. The blocks
 * that registries get from IANA are /8 in IPv4 and /12 in `2000::/3`.
 */
const MIN_LENGTH = { ipv4: 8, reservedIpv4: 4, publicIpv6: 16, otherIpv6: 7 };

/** `problem` is the end of a sentence about the entry. */
export type ParsedEntry = { readonly entry: ListEntry } | { readonly problem: string };

/** Reads an entry of a list of this kind. A name before which stands no `=` covers names below. */
export function parseListEntry(text: string, kind: ListKind): ParsedEntry {
  if (text.length > MAX_ENTRY_LENGTH)
    return { problem: `is longer than ${MAX_ENTRY_LENGTH} characters` };
  const isExact = text.startsWith(EXACT);
  const plain = isExact ? text.slice(EXACT.length) : text;
  if (SHA256.test(plain)) return { entry: plain.toLowerCase() };
  if (OTHER_DIGEST.test(plain))
    return { problem: 'is not a SHA-256, the only digest by which files are compared' };
  const host = parseAllowedHost(plain);
  if (host === undefined)
    return { problem: 'is no host name, address, network in CIDR notation or SHA-256' };
  return host.includes('/') ? checkNetwork(host) : checkName(host, isExact, kind);
}

function checkNetwork(network: string): ParsedEntry {
  const shortest = shortestOf(network);
  return Number(network.slice(network.indexOf('/') + 1)) < shortest
    ? { problem: `covers too many addresses: the prefix must have ${shortest} bits or more` }
    : { entry: network };
}

function shortestOf(network: string): number {
  const [first = 0] = parseAddress(network.slice(0, network.indexOf('/'))) ?? [];
  // Multicast and reserved for future use.
  if (!network.includes(':')) return first >= 224 ? MIN_LENGTH.reservedIpv4 : MIN_LENGTH.ipv4;
  return first >> 5 === 1 ? MIN_LENGTH.publicIpv6 : MIN_LENGTH.otherIpv6;
}

/** Lists of these kinds leave nothing out, so the domains of shared hosts may be entries. */
function checkName(name: string, isExact: boolean, kind: ListKind): ParsedEntry {
  const isLabelOnly = kind === 'shared' || kind === 'scanner';
  if (isLabelOnly ? isRegistrySuffix(name) : isPublicSuffix(name))
    return { problem: 'is a public suffix: others register names under it' };
  return { entry: isExact ? `${EXACT}${name}` : name };
}
