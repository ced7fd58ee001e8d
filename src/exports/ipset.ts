import { hash } from 'node:crypto';
import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { BlockList, LISTED_FIELDS, openList, optionOf } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { Exporter } from './exporter.ts';

/** The kernel refuses a longer name of a set. */
const MAX_SET_NAME_LENGTH = 31;
const LONGEST_AFFIXES = 'hosts-'.length + '-v4-new'.length;
const MAX_FEED_LENGTH = MAX_SET_NAME_LENGTH - LONGEST_AFFIXES;
const DIGEST_LENGTH = 8;

/** Memory is taken for entries alone. A set cannot be created again with another limit. */
const MAX_ENTRIES = 16_777_216;

/**
 * Sets for iptables, read by `ipset restore`. It executes one line after the other, so entries go
 * into new sets, and the last lines put them into the place of the old ones. A list that is cut
 * off changes nothing.
 */
export const ipset: Exporter = {
  format: 'ipset',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'ipset',
  order: 'address',
  fields: LISTED_FIELDS,
  options: { sets: ['ports', 'addresses'] },
  open(context) {
    const hasPorts = optionOf(ipset, context, 'sets') === 'ports';
    const list = new BlockList(context, hasPorts ? 'endpoint' : 'host');
    const [ipv4, ipv6] = (['v4', 'v6'] as const).map((family) =>
      setName(context.feed, hasPorts, family),
    ) as [string, string];
    const entriesOf = ({ c2 }: ExportedReport) =>
      hasPorts ? ['tcp', 'udp'].map((protocol) => `${c2.host},${protocol}:${c2.port}`) : [c2.host];
    const type = hasPorts ? 'hash:ip,port' : 'hash:ip';
    return openList(context, {
      commentSign: '#',
      title: 'Rapsheet block list for ipset restore',
      preamble: creation(ipv4, `${type} family inet`) + creation(ipv6, `${type} family inet6`),
      key: ({ c2 }) => (hasPorts ? `${c2.host} ${c2.port}` : c2.host),
      omission: (report) =>
        list.omission(report) ?? (hostKind(report.c2.host) === 'name' ? 'name' : undefined),
      write: (report) => {
        const set = report.c2.host.includes(':') ? ipv6 : ipv4;
        return entriesOf(report)
          .map((entry) => `add ${set}-new ${entry}\n`)
          .join('');
      },
      rest: () => replacement(ipv4) + replacement(ipv6),
    });
  },
};

/** A long name of a feed is shortened, and told apart by its digest. */
function setName(feed: string, hasPorts: boolean, family: 'v4' | 'v6'): string {
  const slug = feed.replaceAll(/[^a-z0-9-]/g, '-');
  const isLong = slug.length > MAX_FEED_LENGTH;
  const start = slug.slice(0, MAX_FEED_LENGTH - DIGEST_LENGTH - 1);
  const name = isLong ? `${start}-${hash('sha256', feed).slice(0, DIGEST_LENGTH)}` : slug;
  return `${hasPorts ? 'c2' : 'hosts'}-${name}-${family}`;
}

/** The new set exists already if an earlier list was cut off. */
function creation(set: string, type: string): string {
  const parameters = `${type} maxelem ${MAX_ENTRIES} -exist`;
  return `create ${set} ${parameters}\ncreate ${set}-new ${parameters}\nflush ${set}-new\n`;
}

function replacement(set: string): string {
  return `swap ${set}-new ${set}\ndestroy ${set}-new\n`;
}
