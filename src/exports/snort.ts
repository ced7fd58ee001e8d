import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { type Omission, openList } from './block-list.ts';
import { percentOf } from './confidence.ts';
import type { ExportContext, Exporter } from './exporter.ts';
import { isName, targetOf, targetOmission } from './rule-target.ts';
import { messageText, metadataToken, referenceOptions, ruleDay } from './rule-text.ts';
import { c2Message, sidOf } from './suricata/rule.ts';

/** A rule of Snort has one protocol, so an address has two of them. */
const RULES_OF_A_REPORT = 2;

/**
 * Rules for Snort 3. https://docs.snort.org/rules/
 */
export const snort: Exporter = {
  format: 'snort',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'rules',
  order: 'address',
  fields: [
    'number',
    'id',
    'service',
    'sequence',
    'createdSequence',
    'name',
    'c2',
    'reportedAt',
    'confidence',
    'status',
    'rejectionSequence',
    'updatedAt',
  ],
  open(context) {
    const omission = targetOmission(context);
    return openList(context, {
      commentSign: '#',
      title: 'Rapsheet rules for Snort 3',
      key: targetOf,
      omission: (report) => omission(report) ?? numberOmission(report, context),
      write: (report) =>
        isName(report) ? nameRule(report, context) : addressRules(report, context),
    });
  },
};

function numberOmission({ number }: ExportedReport, context: ExportContext): Omission | undefined {
  const last = number * RULES_OF_A_REPORT + 1;
  return sidOf(last, context) === undefined ? 'unwritable' : undefined;
}

function nameRule(report: ExportedReport, context: ExportContext): string {
  const match = `flow:to_server; content:"${encodedName(report.c2.host)}",fast_pattern,nocase; service:dns;`;
  return ruleOf(report, context, { header: 'udp $HOME_NET any -> any 53', match, index: 0 });
}

/**
 * The name as DNS messages have it, from its first label to the root: `|04|evil|03|com|00|` is
 * evil.com. It also matches names below it.
 */
function encodedName(host: string): string {
  const labels = host
    .split('.')
    .map((label) => `|${label.length.toString(16).padStart(2, '0').toUpperCase()}|${label}`);
  return `${labels.join('')}|00|`;
}

/** The first packet of a connection, whatever its bits for congestion; and every datagram. */
function addressRules(report: ExportedReport, context: ExportContext): string {
  const { host, port } = report.c2;
  const target = `$HOME_NET any -> ${host} ${port}`;
  return (
    ruleOf(report, context, { header: `tcp ${target}`, match: 'flags:S,CE;', index: 0 }) +
    ruleOf(report, context, { header: `udp ${target}`, match: 'flow:to_server;', index: 1 })
  );
}

interface RuleParts {
  readonly header: string;
  readonly match: string;
  readonly index: 0 | 1;
}

/** One line. The text of a report can only become a part of `msg`. */
function ruleOf(
  report: ExportedReport,
  context: ExportContext,
  { header, match, index }: RuleParts,
): string {
  const { service, id } = report;
  const metadata = {
    feed: service,
    report: id,
    confidence: String(percentOf(report, context.services.get(service))),
    created_at: ruleDay(report.reportedAt),
    updated_at: ruleDay(report.updatedAt),
  };
  const pairs = Object.entries(metadata).map(([name, value]) => `${name} ${metadataToken(value)}`);
  const options = [
    `msg:"${messageText(c2Message(report))}";`,
    match,
    ...referenceOptions(`${context.baseUrl}/feeds/${service}/reports/${id}`),
    'classtype:trojan-activity;',
    `sid:${sidOf(report.number * RULES_OF_A_REPORT + index, context)};`,
    `rev:${report.sequence - report.createdSequence + 1};`,
    `metadata:${pairs.join(', ')};`,
  ];
  return `alert ${header} ( ${options.join(' ')} )\n`;
}
