import { parseAddress } from '../ip-address.ts';
import { isAddress, reverseHost } from '../search-query.ts';
import type { Service } from './service.ts';

/** The service that answers for a host, and the pattern by which it declared so. */
export interface Route {
  readonly service: string;
  readonly pattern: string;
}

export interface RoutePattern {
  readonly key: string;
  /** As it was declared. */
  readonly pattern: string;
}

const WILDCARD = '*.';

/**
 * The keys under which the hosts and networks of a service are found. Two patterns that mean the
 * same network have one key.
 */
export function patternsOf({
  hosts,
  networks,
}: Pick<Service, 'hosts' | 'networks'>): readonly RoutePattern[] {
  const patterns = [
    ...hosts.map((pattern) => ({ key: keyOfHostPattern(pattern), pattern })),
    ...networks.map((pattern) => ({ key: keyOfNetwork(pattern), pattern })),
  ];
  return [...new Map(patterns.map((one) => [one.key, one])).values()];
}

/**
 * The keys of all patterns that match a canonical host, the most specific first: the host itself,
 * then ever shorter wildcards, or ever larger networks.
 */
export function routeKeys(host: string): readonly string[] {
  const bytes = isAddress(host) ? parseAddress(host) : undefined;
  if (bytes !== undefined) {
    const lengths = Array.from({ length: 8 * bytes.length + 1 }, (_, index) => index).reverse();
    return [host, ...lengths.map((length) => networkKey(bytes, length))];
  }
  const labels = reverseHost(host).split('.');
  const wildcards = labels.slice(1).map((_, index) => labels.slice(0, labels.length - 1 - index));
  return [labels.join('.'), ...wildcards.map((suffix) => `${suffix.join('.')}.*`)];
}

function keyOfHostPattern(pattern: string): string {
  if (pattern.startsWith(WILDCARD)) return `${reverseHost(pattern.slice(WILDCARD.length))}.*`;
  return isAddress(pattern) ? pattern : reverseHost(pattern);
}

function keyOfNetwork(network: string): string {
  const [address = '', length = ''] = network.split('/');
  return networkKey(parseAddress(address) ?? [], Number(length));
}

/** `4/20/cb0070`: the version, the length of the prefix, and its bytes without the other bits. */
function networkKey(bytes: readonly number[], length: number): string {
  const prefix = bytes.slice(0, Math.ceil(length / 8)).map((byte, index) => {
    const spare = Math.max(0, 8 * (index + 1) - length);
    return (byte >> spare) << spare;
  });
  return `${bytes.length === 4 ? 4 : 6}/${length}/${Buffer.from(prefix).toString('hex')}`;
}
