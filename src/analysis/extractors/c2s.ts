import { type C2Address, c2AddressOf, parseC2Address } from '../../domain/reports/c2-address.ts';
import { withoutRoot } from './endpoints/hosts.ts';
import type { Endpoint } from './extractor.ts';

/** Default ports of URL schemes. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
  ftp: 21,
};

const URL_PARTS = /^([a-z][a-z0-9+.-]{0,15}):\/\/([^/?#\\]{1,1024})(?=[/?#\\]|$)/i;
const HAS_PORT = /:\d+$/;

/**
 * The C2 address of an endpoint; `undefined` without a valid host or a port. Uses the parser of the
 * API, not that of browsers, which also accepts `0x7f.1` or `%65vil` as a host.
 */
export function addressOf({ url, host, port, protocol }: Endpoint): C2Address | undefined {
  if (url !== undefined) return addressOfUrl(url, port);
  if (host === undefined) return undefined;
  const defaultPort =
    protocol === 'http' || protocol === 'https' ? DEFAULT_PORTS[protocol] : undefined;
  return c2AddressOf(withoutRoot(host), port ?? defaultPort ?? 0);
}

function addressOfUrl(url: string, statedPort: number | undefined): C2Address | undefined {
  const [, scheme = '', authority = ''] = URL_PARTS.exec(url) ?? [];
  const hostPort = authority.slice(authority.lastIndexOf('@') + 1);
  // Brackets outside of an IPv6 address would be parsed as a defanged dot.
  if (/[[(]/.test(hostPort.startsWith('[') ? hostPort.slice(1) : hostPort)) return undefined;
  if (HAS_PORT.test(hostPort)) return parseC2Address(hostPort.replace(/(?<=[^.])\.(?=:\d+$)/, ''));
  return c2AddressOf(withoutRoot(hostPort), statedPort ?? DEFAULT_PORTS[scheme.toLowerCase()] ?? 0);
}
