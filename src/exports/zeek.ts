import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { BlockList, LISTED_FIELDS, openList, optionOf } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { Exporter } from './exporter.ts';
import { messageText, reportUrl } from './rule-text.ts';
import { fileOmission } from './sha256.ts';

const COLUMNS = ['indicator', 'indicator_type', 'meta.source', 'meta.desc', 'meta.url'];
/** How Zeek writes a field without a value. */
const UNSET = '-';

/**
 * The intelligence framework of Zeek: fields are separated by tabs, and a backslash begins an
 * escape. Comments begin with `#`. https://docs.zeek.org/en/lts/frameworks/intel.html
 *
 * An indicator has no port, so shared hosts are left out.
 */
export const zeek: Exporter = {
  format: 'zeek',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'intel',
  order: 'address',
  fields: [...LISTED_FIELDS, 'sha256', 'name', 'service', 'id'],
  options: { indicators: ['c2', 'files'] },
  variant: ({ indicators }) => (indicators === 'files' ? { order: 'file' } : {}),
  open(context) {
    const hasFiles = optionOf(zeek, context, 'indicators') === 'files';
    const list = new BlockList(context, 'host');
    const keyOf = ({ sha256, c2 }: ExportedReport) => (hasFiles ? sha256 : c2.host);
    return openList(context, {
      commentSign: '#',
      title: `Rapsheet indicators for Zeek, ${hasFiles ? 'files' : 'hosts of C2s'}`,
      preamble: `#fields\t${COLUMNS.join('\t')}\n`,
      key: keyOf,
      omission: (report) => (hasFiles ? fileOmission(report, context) : list.omission(report)),
      write: (report) => {
        const type = hasFiles ? 'Intel::FILE_HASH' : typeOf(report.c2.host);
        const source = `rapsheet-${messageText(report.service)}`;
        // A lone hyphen would be no value, so the name of the family has a word before it.
        const description = `${hasFiles ? 'file' : 'C2'} of ${messageText(report.name)}`;
        const url = reportUrl(context, report) ?? UNSET;
        return `${[keyOf(report), type, source, description, url].join('\t')}\n`;
      },
    });
  },
};

function typeOf(host: string): string {
  return hostKind(host) === 'name' ? 'Intel::DOMAIN' : 'Intel::ADDR';
}
