import { bitsOf, formatAddress, parseAddress, readNetwork } from '../ip-address.ts';
import { suffixOf } from '../ownership/challenge.ts';
import { endsInNumber } from '../reports/c2-address.ts';
import { isRefusedHost } from './route.ts';

/**
 * Why a service cannot declare a host pattern that is well-formed; `undefined` if it can. Programs
 * take a name that ends in a number for an address: 127.1 is 127.0.0.1. So only an address that is
 * written in full is one here.
 */
export function hostRefusal(pattern: string): string | undefined {
  const suffix = suffixOf(pattern);
  // Anyone can register names under a public suffix, so a service cannot answer for all of them.
  // The private section of the list is allowed: services list their own domains there.
  if (isRefusedHost(pattern))
    return `hosts must not have ${pattern}: ${suffix} is a public suffix, under which anyone can register names. Declare the names of the service, such as *.example.${suffix}.`;
  if (!endsInNumber(suffix) || parseAddress(pattern) !== undefined) return undefined;
  return `hosts must not have ${pattern}: it ends in a number, as only an address does. Declare an address in full, such as 203.0.113.7, or its network.`;
}

/** Why a service cannot declare a network in CIDR notation; `undefined` if it can. */
export function networkRefusal(network: string): string | undefined {
  const { bytes, length } = readNetwork(network);
  if (!bitsOf(bytes).includes('1', length)) return undefined;
  const first = bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, length - 8 * index));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  const { length: size } = bytes;
  return `networks must not have ${network}, which is an address in a network. The network is ${formatAddress(first)}/${length}, the address alone ${formatAddress(bytes)}/${8 * size}.`;
}
