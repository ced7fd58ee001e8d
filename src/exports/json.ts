import {
  EXPORTED_FIELDS,
  serializeExtended,
  withKnownAs,
} from '../domain/reports/extended-report.ts';
import type { Exporter } from './exporter.ts';

/** One object with all reports in the order of creation. The members after them end the export. */
export const json: Exporter = {
  format: 'json',
  mediaType: 'application/json',
  extension: 'json',
  order: 'creation',
  fields: EXPORTED_FIELDS,
  open: ({ feed, serial, changedAt, lists }) => {
    let rows = 0;
    const head = { feed, serial, changedAt };
    return {
      start: () => `${JSON.stringify(head).slice(0, -1)},"reports":[`,
      report: (report) => {
        rows += 1;
        return `${rows === 1 ? '\n' : ',\n'}${withKnownAs(serializeExtended(report), lists.ofReport(report))}`;
      },
      end: (digest) => `\n],"rows":${rows},"sha256":"${digest()}","successful":true}\n`,
    };
  },
};
