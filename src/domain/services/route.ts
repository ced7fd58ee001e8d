import { bitsOf, bitsOfCanonical, parseAddress } from '../ip-address.ts';
import { suffixOf } from '../ownership/challenge.ts';
import { isRegistrySuffix, registrySuffix } from '../public-suffix.ts';
import { isAddress, reverseHost } from '../search-query.ts';
import type { Service } from './service.ts';

/** The service that answers for a host, and the pattern by which it declared so. */
export interface Route {
  readonly service: string;
  readonly pattern: string;
  /** Whether the service has proven that it owns the pattern. */
  readonly verified: boolean;
}

/** A pattern of a service, and the most specific pattern of another one that contains it. */
export interface Overlap {
  readonly inner: Route;
  readonly within: Route;
}

export interface RoutePattern {
  readonly key: string;
  /** As it was declared. */
  readonly pattern: string;
}

/**
 * Where to look for the patterns that contain a host or a pattern. `names`: the keys, the most
 * specific first. `network`: the key of each of them is a prefix of this one, the longest is the
 * most specific.
 */
export type ContainingKeys =
  | { readonly kind: 'names'; readonly keys: readonly string[] }
  | { readonly kind: 'network'; readonly version: IpVersion; readonly key: string };

export type IpVersion = 4 | 6;

const WILDCARD = '*.';
const BELOW = '.*';
const NETWORK = /^(?<version>[46])\//;
/** The version and a slash precede the bits of a network in its key. */
export const NETWORK_KEY_START = 2;

/**
 * The keys under which the hosts and networks of a service are found. Two patterns that mean the
 * same have one key; if they are an address and its network, the address is kept. The key of a name
 * is the reversed name, `com.example.evil`; that of a wildcard ends in `.*`; that of an address or
 * a network has the bits of the prefix, `4/11001011`.
 */
export function patternsOf({
  hosts,
  networks,
}: Pick<Service, 'hosts' | 'networks'>): readonly RoutePattern[] {
  const patterns = [
    ...networks.map((pattern) => ({ key: keyOfNetwork(pattern), pattern })),
    ...hosts.map((pattern) => ({ key: keyOfHostPattern(pattern), pattern })),
  ];
  return [...new Map(patterns.map((one) => [one.key, one])).values()];
}

/**
 * The keys of all patterns that may route a canonical host: itself and ever shorter wildcards, or
 * ever larger networks. Public suffixes of registries route nothing.
 */
export function keysOfHost(host: string): ContainingKeys {
  if (isAddress(host)) {
    const version = host.includes(':') ? 6 : 4;
    return { kind: 'network', version, key: `${version}/${bitsOfCanonical(host)}` };
  }
  const labels = host.split('.');
  const suffix = registrySuffix(host);
  const reserved = suffix === undefined ? 0 : suffix.split('.').length;
  return { kind: 'names', keys: namesAbove(labels, labels.length > reserved, reserved) };
}

/** The keys of all patterns that contain the one with this key, itself first. */
export function keysAbove(key: string): ContainingKeys {
  if (NETWORK.test(key)) return containingNetworks(key);
  const isWildcard = key.endsWith(BELOW);
  const labels = (isWildcard ? key.slice(0, -BELOW.length) : key).split('.').reverse();
  // `*.b.c` is found among the wildcards above `x.b.c`.
  return {
    kind: 'names',
    keys: isWildcard ? namesAbove(['', ...labels], false, 0) : namesAbove(labels, true, 0),
  };
}

/** The version of a network and the length of its prefix; `undefined` for the key of a name. */
export function prefixOfKey(
  key: string,
): { readonly version: IpVersion; readonly length: number } | undefined {
  const version = NETWORK.exec(key)?.groups?.['version'];
  if (version === undefined) return undefined;
  return { version: version === '4' ? 4 : 6, length: key.length - NETWORK_KEY_START };
}

/** Whether a declared host is a public suffix of a registry, or a wildcard of one. */
export function isRefusedHost(pattern: string): boolean {
  return isRegistrySuffix(suffixOf(pattern));
}

/**
 * The key of the name, if wished, and those of the wildcards that match it, longest first. The
 * wildcards of the last `reserved` labels and fewer are left out.
 */
function namesAbove(
  labels: readonly string[],
  hasName: boolean,
  reserved: number,
): readonly string[] {
  const keys: string[] = [];
  let suffix = '';
  for (let index = labels.length - 1; index > 0; index -= 1) {
    suffix = suffix === '' ? `${labels[index]}` : `${suffix}.${labels[index]}`;
    if (labels.length - index > reserved) keys.push(suffix + BELOW);
  }
  if (hasName) keys.push(suffix === '' ? `${labels[0]}` : `${suffix}.${labels[0]}`);
  return keys.reverse();
}

function containingNetworks(key: string): ContainingKeys {
  return { kind: 'network', version: key.startsWith('4') ? 4 : 6, key };
}

function networkKeyOf(bytes: readonly number[], length = 8 * bytes.length): string {
  return `${bytes.length === 4 ? 4 : 6}/${bitsOf(bytes).slice(0, length)}`;
}

function keyOfHostPattern(pattern: string): string {
  if (pattern.startsWith(WILDCARD)) return reverseHost(suffixOf(pattern)) + BELOW;
  const bytes = isAddress(pattern) ? parseAddress(pattern) : undefined;
  return bytes === undefined ? reverseHost(pattern) : networkKeyOf(bytes);
}

function keyOfNetwork(network: string): string {
  const [address = '', length = ''] = network.split('/');
  return networkKeyOf(parseAddress(address) ?? [], Number(length));
}
