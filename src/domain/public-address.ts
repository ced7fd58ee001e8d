import { contains, parseAddress, readNetwork } from './ip-address.ts';

/**
 * Addresses that a URL of a user must not reach: all that are not public. The ranges are those of
 * IANA's special-purpose registries (https://www.iana.org/assignments/iana-ipv4-special-registry,
 * …/iana-ipv6-special-registry), of RFC 5771 and of RFC 4291, and addresses at which clouds serve
 * credentials.
 */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // The host of an Azure virtual machine.
  '168.63.129.16/32',
  // Protocol assignments, including Teredo, which embeds an IPv4 address, and benchmarking.
  '2001::/23',
  '2001:db8::/32',
  // 6to4, which embeds an IPv4 address.
  '2002::/16',
  '3fff::/20',
].map(readNetwork);

/**
 * Other IPv6 ranges are reserved, local or multicast, or embed an IPv4 address (`64:ff9b::/96`).
 */
const PUBLIC_IPV6 = readNetwork('2000::/3');

/** Whether the text is a public address. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address.length === 16 && !contains(PUBLIC_IPV6, address)) return false;
  return !NOT_PUBLIC.some((network) => contains(network, address));
}

/** Whether the address is public or in a network that the operator allows. */
export function mayConnectTo(text: string, allowed: readonly string[]): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return (
    isPublicAddress(text) || allowed.some((network) => contains(readNetwork(network), address))
  );
}
