import { type C2Address, c2AddressOf, parseC2Address } from '../../domain/reports/c2-address.ts';
import { withoutRoot } from './endpoints/hosts.ts';
import type { Endpoint } from './extractor.ts';

/** Where a scheme leads to that names no port. */
const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443, ftp: 21 };

const URL_PARTS = /^([a-z][a-z0-9+.-]{0,15}):\/\/([^/?#\\]{1,1024})(?=[/?#\\]|$)/i;
const HAS_PORT = /:\d+$/;

/**
 * The address of an endpoint. Read as reports of the API are, not as browsers do, which take `0x7f.1` or `%65vil` for a
 * host as well; `undefined` for what is no address, or where no port can be known.
 */
export function addressOf({ url, host, port, protocol }: Endpoint): C2Address | undefined {
  if (url !== undefined) return addressOfUrl(url, port);
  if (host === undefined) return undefined;
  const usual = protocol === 'http' || protocol === 'https' ? PORTS[protocol] : undefined;
  return c2AddressOf(withoutRoot(host), port ?? usual ?? 0);
}

function addressOfUrl(url: string, known: number | undefined): C2Address | undefined {
  const [, scheme = '', authority = ''] = URL_PARTS.exec(url) ?? [];
  const place = authority.slice(authority.lastIndexOf('@') + 1);
  // Brackets that are not those of an IPv6 address would be taken for a defanged dot.
  if (place.startsWith('[') ? /[[(]/.test(place.slice(1)) : /[[(]/.test(place)) return undefined;
  if (HAS_PORT.test(place)) return parseC2Address(place.replace(/(?<=[^.])\.(?=:\d+$)/, ''));
  return c2AddressOf(withoutRoot(place), known ?? PORTS[scheme.toLowerCase()] ?? 0);
}
