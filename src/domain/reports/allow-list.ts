import { parseAddress } from '../ip-address.ts';
import { parseNetwork } from '../services/service.ts';
import { c2AddressOf } from './c2-address.ts';

/**
 * An entry of the list of hosts that are no indicators: a name, which covers its subdomains,
 * or a network. An address becomes the network of this address alone.
 */
export function parseAllowedHost(text: string): string | undefined {
  const network = parseNetwork(text);
  if (network !== undefined) return network;
  // The port does not matter: the parser of C2 addresses knows all forms of hosts.
  const host = c2AddressOf(text, 1)?.host;
  if (host === undefined) return undefined;
  const bytes = parseAddress(host);
  return bytes === undefined ? host : `${host}/${bytes.length * 8}`;
}
