import { EXTENDED_FIELDS, serializeExtended } from '../domain/reports/extended-report.ts';
import type { Exporter } from './exporter.ts';

/** One report a line, in the order of creation. The last line is no report: it ends the export. */
export const ndjson: Exporter = {
  format: 'ndjson',
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  order: 'creation',
  fields: EXTENDED_FIELDS,
  open: () => {
    let rows = 0;
    return {
      start: () => '',
      report: (report) => {
        rows += 1;
        return `${serializeExtended(report)}\n`;
      },
      end: (digest) => `{"end":true,"rows":${rows},"sha256":"${digest()}"}\n`,
    };
  },
};
