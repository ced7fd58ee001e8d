import { parseC2Address } from '../../domain/reports/c2-address.ts';
import type { HostOrC2 } from '../../ports/search-store.ts';
import { C2_INPUT, HOST_INPUT, HOST_OR_C2_INPUT } from '../openapi/text-formats.ts';
import { parseHost } from './feed-query.ts';
import { field, parsed, strictObject } from './field-rules.ts';

const DEFANGED = 'Defanged forms are accepted';

function parseHostOrC2(text: string): HostOrC2 | undefined {
  const c2 = parseC2Address(text);
  if (c2 !== undefined) return c2;
  const host = parseHost(text);
  return host === undefined ? undefined : { host };
}

export const routeQuery = strictObject({
  c2: field('"<host>:<port>" or a host, given once', parsed(parseHostOrC2, HOST_OR_C2_INPUT), {
    details: DEFANGED,
    example: 'tunnel.ply.example:4444',
  }),
});

export const c2Query = strictObject({
  c2: field('"<host>:<port>", given once', parsed(parseC2Address, C2_INPUT), {
    details: DEFANGED,
    example: 'tunnel.ply.example:4444',
  }),
});

export const hostQuery = strictObject({
  host: field('a DNS name, an IPv4 or an IPv6 address, given once', parsed(parseHost, HOST_INPUT), {
    details: `Subdomains are not included. ${DEFANGED}`,
    example: 'tunnel.ply.example',
  }),
});
