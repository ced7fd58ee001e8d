import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { BlockList, LISTED_FIELDS, type Omission, openList, optionOf } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { Exporter } from './exporter.ts';

/**
 * A response policy zone: names do not exist, and neither do names that resolve to a listed
 * address. https://datatracker.ietf.org/doc/draft-vixie-dnsop-dns-rpz/
 *
 *   evil.example CNAME .          the name
 *   *.evil.example CNAME .        the names below it
 *   32.4.3.2.1.rpz-ip CNAME .     answers with the address 1.2.3.4
 *
 * Owners are relative, so that readers choose the name of the zone.
 */
export const rpz: Exporter = {
  format: 'rpz',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'zone',
  order: 'address',
  version: 2,
  fields: LISTED_FIELDS,
  options: { ip: ['yes', 'no'] },
  open(context) {
    const list = new BlockList(context, 'host');
    const hasAddresses = optionOf(rpz, context, 'ip') === 'yes';
    return openList(context, {
      commentSign: ';',
      title: `Rapsheet block list as a zone with a name of at most ${MAX_ZONE_LENGTH} characters`,
      preamble: preamble(context.serial),
      key: ({ c2 }) => c2.host,
      omission: (report) => list.omission(report) ?? zoneOmission(report, hasAddresses),
      write: ({ c2 }) => ownersOf(c2.host).map(recordOf).join(''),
    });
  },
};

const MAX_ZONE_LENGTH = 62;
/**
 * A name has at most 255 octets: a length octet for each label, and one for the root. The owner
 * with the wildcard is `*.`, the host, a dot and the zone.
 */
const MAX_HOST_LENGTH = 255 - 2 - 2 - 1 - MAX_ZONE_LENGTH;

/** The label with which owners of triggers end. A host must not be read as one. */
const TRIGGER = /(?:^|\.)rpz-[^.]*$/;

function zoneOmission({ c2 }: ExportedReport, hasAddresses: boolean): Omission | undefined {
  if (hostKind(c2.host) !== 'name') return hasAddresses ? undefined : 'address';
  if (TRIGGER.test(c2.host)) return 'unwritable';
  return c2.host.length > MAX_HOST_LENGTH ? 'too-long' : undefined;
}

/** Serials are compared modulo 2 to the 32nd (RFC 1982); 0 is left out, as some tools refuse it. */
function preamble(serial: number): string {
  const wrapped = (serial % 0xffff_ffff) + 1;
  return `$TTL 300
@ SOA localhost. hostmaster.localhost. ${wrapped} 3600 600 604800 300
@ NS localhost.
`;
}

function ownersOf(host: string): readonly string[] {
  const kind = hostKind(host);
  if (kind === 'name') return [host, `*.${host}`];
  if (kind === 'ipv4') return [`32.${host.split('.').reverse().join('.')}.rpz-ip`];
  // "::" is the label "zz", even at either end, where the text has one more empty group.
  const groups = host.replace('::', ':zz:').split(':').filter(Boolean);
  return [`128.${groups.reverse().join('.')}.rpz-ip`];
}

function recordOf(owner: string): string {
  return `${owner} CNAME .\n`;
}
