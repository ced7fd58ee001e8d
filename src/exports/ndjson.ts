import {
  EXPORTED_FIELDS,
  serializeExtended,
  withKnownAs,
} from '../domain/reports/extended-report.ts';
import { optionOf } from './block-list.ts';
import type { Exporter } from './exporter.ts';

/**
 * One report a line, in the order of creation. The last line is no report: it ends the export.
 * `end=0` leaves it out, for programs that read every line as a report.
 */
export const ndjson: Exporter = {
  format: 'ndjson',
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  order: 'creation',
  fields: EXPORTED_FIELDS,
  options: { end: ['1', '0'] },
  open: (context) => {
    const hasEnd = optionOf(ndjson, context, 'end') === '1';
    let rows = 0;
    return {
      start: () => '',
      report: (report) => {
        rows += 1;
        return `${withKnownAs(serializeExtended(report), context.lists.ofReport(report))}\n`;
      },
      end: (digest) => (hasEnd ? `{"end":true,"rows":${rows},"sha256":"${digest()}"}\n` : ''),
    };
  },
};
