import { BlockList, LISTED_FIELDS, openList, optionOf } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { Exporter } from './exporter.ts';

/** A hosts file, which resolves the names to an address that nothing listens on. */
export const hosts: Exporter = {
  format: 'hosts',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'hosts',
  order: 'address',
  version: 2,
  fields: LISTED_FIELDS,
  options: { ipv6: ['no', 'yes'] },
  open(context) {
    const list = new BlockList(context, 'host');
    const addresses = optionOf(hosts, context, 'ipv6') === 'yes' ? ['0.0.0.0', '::'] : ['0.0.0.0'];
    return openList(context, {
      commentSign: '#',
      title: 'Rapsheet block list as a hosts file',
      key: ({ c2 }) => c2.host,
      omission: (report) =>
        list.omission(report) ?? (hostKind(report.c2.host) === 'name' ? undefined : 'address'),
      write: ({ c2 }) => addresses.map((address) => `${address} ${c2.host}\n`).join(''),
    });
  },
};
