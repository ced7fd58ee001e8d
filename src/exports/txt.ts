import { formatC2Address } from '../domain/reports/c2-address.ts';
import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { BlockList, LISTED_FIELDS, type Omission, openList, optionOf } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { Exporter } from './exporter.ts';

const OPTIONS = { value: ['host:port', 'host', 'ip', 'domain'] } as const;

/** One value per line. Without the port, shared hosts are left out. */
export const txt: Exporter = {
  format: 'txt',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'txt',
  order: 'address',
  version: 2,
  fields: LISTED_FIELDS,
  options: OPTIONS,
  open(context) {
    const value = optionOf(txt, context, 'value');
    const hasPort = value === 'host:port';
    const list = new BlockList(context, hasPort ? 'endpoint' : 'host');
    const textOf = ({ c2 }: ExportedReport) => (hasPort ? formatC2Address(c2) : c2.host);
    return openList(context, {
      commentSign: '#',
      title: `Rapsheet block list by ${value}`,
      key: textOf,
      omission: (report) => wrongKind(value, report.c2.host) ?? list.omission(report),
      write: (report) => `${textOf(report)}\n`,
    });
  },
};

function wrongKind(value: string, host: string): Omission | undefined {
  const isName = hostKind(host) === 'name';
  if (value === 'ip' && isName) return 'name';
  return value === 'domain' && !isName ? 'address' : undefined;
}
