import { BlockList, LISTED_FIELDS, openList } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { Exporter } from './exporter.ts';

/** Rules for AdGuard Home, Pi-hole and browsers: a name and the names below it. */
export const adblock: Exporter = {
  format: 'adblock',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'txt',
  order: 'address',
  fields: LISTED_FIELDS,
  open(context) {
    const list = new BlockList(context, 'host');
    return openList(context, {
      commentSign: '!',
      title: 'Title: Rapsheet block list',
      key: ({ c2 }) => c2.host,
      omission: (report) =>
        list.omission(report) ?? (hostKind(report.c2.host) === 'name' ? undefined : 'address'),
      write: ({ c2 }) => `||${c2.host}^\n`,
    });
  },
};
