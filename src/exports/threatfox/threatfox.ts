import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { hostKind } from '../characters.ts';
import { inert } from '../csv-record.ts';
import type { ExportContext, Exporter, ExportWriter } from '../exporter.ts';
import { type Ioc, iocsOf, isPublished } from './iocs.ts';

/** The columns of the CSV of ThreatFox. Its readers count them and know no others. */
const COLUMNS = [
  'first_seen_utc',
  'ioc_id',
  'ioc_value',
  'ioc_type',
  'threat_type',
  'fk_malware',
  'malware_alias',
  'malware_printable',
  'last_seen_utc',
  'confidence_level',
  'is_compromised',
  'reference',
  'tags',
  'anonymous',
  'reporter',
] as const;

/** How ThreatFox writes an empty value. */
const NONE = 'None';

/**
 * The indicators of the reports as ThreatFox exports them: a CSV for its importers, or the JSON of
 * its API.
 */
export const threatfox: Exporter = {
  format: 'threatfox',
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  order: 'creation',
  version: 2,
  fields: [
    'number',
    'service',
    'createdSequence',
    'name',
    'tags',
    'c2',
    'sha256',
    'reportedBy',
    'reportedAt',
    'reference',
    'confidence',
    'confirmation',
    'rejectionSequence',
    'status',
  ],
  options: { flavour: ['csv', 'json'], ipv6: ['0', '1'] },
  variant: ({ flavour }) =>
    flavour === 'json' ? { mediaType: 'application/json; charset=utf-8', extension: 'json' } : {},
  open: (context) => (context.options['flavour'] === 'json' ? openJson(context) : openCsv(context)),
};

type IocsOf = (report: ExportedReport) => readonly Ioc[];

function publishedIocs(context: ExportContext): IocsOf {
  const hosts = new IndicatorHosts(context);
  return (report) =>
    isPublished(report) ? iocsOf(report, context.services.get(report.service), hosts) : [];
}

function openCsv(context: ExportContext): ExportWriter {
  const publishedOf = publishedIocs(context);
  const withIpv6 = context.options['ipv6'] === '1';
  let rows = 0;
  let leftOut = 0;
  return {
    start: () =>
      [
        '# Indicators of compromise in the format of ThreatFox, first reported first',
        `# Feed: ${context.feed}; last change: ${context.changedAt}`,
        `# "${COLUMNS.join('","')}"`,
        '',
      ].join('\n'),
    report(report) {
      const iocs = publishedOf(report);
      const isLeftOut = (ioc: Ioc) =>
        !withIpv6 && ioc.ioc_type === 'ip:port' && hostKind(report.c2.host) === 'ipv6';
      const written = iocs.filter((ioc) => !isLeftOut(ioc));
      rows += written.length;
      leftOut += iocs.length - written.length;
      return written.map(csvRow).join('');
    },
    // A reader that takes every `ip:port` for IPv4 would fail on the others.
    end(digest) {
      const rest = `# LEFT OUT ipv6=${leftOut}\n`;
      return `${rest}# END rows=${rows} sha256=${digest(rest)}\n`;
    },
  };
}

function csvRow(ioc: Ioc): string {
  const values: Readonly<Record<(typeof COLUMNS)[number], string>> = {
    first_seen_utc: ioc.first_seen.slice(0, 19),
    ioc_id: ioc.id,
    ioc_value: ioc.ioc,
    ioc_type: ioc.ioc_type,
    threat_type: ioc.threat_type,
    fk_malware: ioc.malware,
    malware_alias: NONE,
    malware_printable: ioc.malware_printable,
    last_seen_utc: NONE,
    confidence_level: String(ioc.confidence_level),
    is_compromised: 'False',
    reference: ioc.reference ?? NONE,
    // Readers split the tags at commas.
    tags: ioc.tags.map((tag) => tag.replaceAll(',', ' ')).join() || NONE,
    anonymous: '0',
    reporter: ioc.reporter,
  };
  const quoted = COLUMNS.map((column) => quote(guard(column, values[column])));
  return `${quoted.join()}\n`;
}

/** Has only letters, digits and the characters `.-_`, so that a formula in it can call nothing. */
const INDICATOR = 'ioc_value';

/** Programs evaluate a cell that begins like a formula. An indicator must stay as it is. */
function guard(column: (typeof COLUMNS)[number], value: string): string {
  return column === INDICATOR ? value : inert(value);
}

function quote(value: string): string {
  return `"${value.includes('"') ? value.replaceAll('"', '""') : value}"`;
}

function openJson(context: ExportContext): ExportWriter {
  const publishedOf = publishedIocs(context);
  let rows = 0;
  return {
    start: () => '{"query_status":"ok","data":[',
    report(report) {
      const iocs = publishedOf(report);
      if (iocs.length === 0) return '';
      const text = (rows > 0 ? ',\n' : '\n') + iocs.map((ioc) => JSON.stringify(ioc)).join(',\n');
      rows += iocs.length;
      return text;
    },
    end: (digest) => `\n],"end":{"rows":${rows},"sha256":"${digest()}"}}\n`,
  };
}
