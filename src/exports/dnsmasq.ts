import { BlockList, LISTED_FIELDS, openList, optionOf } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { Exporter } from './exporter.ts';

/**
 * Settings of dnsmasq for names and the names below them: without an address they do not exist,
 * and with `#` they resolve to 0.0.0.0 and ::.
 */
export const dnsmasq: Exporter = {
  format: 'dnsmasq',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'conf',
  order: 'address',
  fields: LISTED_FIELDS,
  options: { answer: ['nxdomain', 'zero'] },
  open(context) {
    const list = new BlockList(context, 'host');
    const address = optionOf(dnsmasq, context, 'answer') === 'zero' ? '#' : '';
    return openList(context, {
      commentSign: '#',
      title: 'Rapsheet block list for dnsmasq',
      key: ({ c2 }) => c2.host,
      omission: (report) =>
        list.omission(report) ?? (hostKind(report.c2.host) === 'name' ? undefined : 'address'),
      write: ({ c2 }) => `address=/${c2.host}/${address}\n`,
    });
  },
};
