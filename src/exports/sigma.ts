import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { uuidV5 } from '../domain/uuid.ts';
import { openList, optionOf } from './block-list.ts';
import { percentOf } from './confidence.ts';
import type { ExportContext, Exporter } from './exporter.ts';
import { isName, targetOf, targetOmission } from './rule-target.ts';
import { messageText, reportUrl } from './rule-text.ts';
import { fileOmission } from './sha256.ts';
import { c2Message } from './suricata/rule.ts';

type Source = 'endpoint' | 'network' | 'files';

/**
 * A rule of Sigma for each C2 or file, as documents of one YAML stream. Values are texts in single
 * quotes, without quotes and backslashes in them.
 * https://github.com/SigmaHQ/sigma-specification
 */
export const sigma: Exporter = {
  format: 'sigma',
  mediaType: 'application/yaml',
  extension: 'yml',
  order: 'address',
  fields: [
    'id',
    'service',
    'name',
    'c2',
    'sha256',
    'reportedAt',
    'confidence',
    'status',
    'rejectionSequence',
    'updatedAt',
  ],
  options: { source: ['endpoint', 'network', 'files'] },
  variant: ({ source }) => (source === 'files' ? { order: 'file' } : {}),
  open(context) {
    const source = optionOf(sigma, context, 'source') as Source;
    const omission = omissionOf(source, context);
    const key = (report: ExportedReport) => keyOf(report, source);
    return openList(context, {
      commentSign: '#',
      title: 'Rapsheet rules for Sigma',
      key,
      omission,
      write: (report) => ruleOf(report, source, context),
    });
  },
};

function omissionOf(source: Source, context: ExportContext) {
  if (source !== 'files') return targetOmission(context);
  return (report: ExportedReport) => fileOmission(report, context);
}

function keyOf(report: ExportedReport, source: Source): string {
  return source === 'files' ? report.sha256 : targetOf(report);
}

/** The category of logs and the lines of its selection, with the fields of Sigma's taxonomy. */
interface Detection {
  readonly category: string;
  readonly selection: readonly string[];
}

function detectionOf(report: ExportedReport, source: Source): Detection {
  const { host, port } = report.c2;
  const isEndpoint = source === 'endpoint';
  if (source === 'files')
    return {
      category: 'process_creation',
      selection: [`Hashes|contains: 'SHA256=${report.sha256}'`],
    };
  if (isName(report))
    return isEndpoint
      ? { category: 'dns_query', selection: [`QueryName: '${host}'`] }
      : { category: 'dns', selection: [`query: '${host}'`] };
  return isEndpoint
    ? {
        category: 'network_connection',
        selection: [`DestinationIp: '${host}'`, `DestinationPort: ${port}`],
      }
    : { category: 'firewall', selection: [`dst_ip: '${host}'`, `dst_port: ${port}`] };
}

/** The confidence of the reporter decides. */
function levelOf(percent: number): string {
  if (percent >= 75) return 'high';
  return percent >= 40 ? 'medium' : 'low';
}

/** The id is that of the C2 or file, so it stays when its first report is deleted. */
function ruleOf(report: ExportedReport, source: Source, context: ExportContext): string {
  const { service } = report;
  const isFile = source === 'files';
  const { category, selection } = detectionOf(report, source);
  const title = isFile ? `Rapsheet ${service} file of ${report.name}` : c2Message(report);
  const url = reportUrl(context, report);
  const name = `sigma:${context.feed}:${source}:${keyOf(report, source)}`;
  return `---
title: '${messageText(title)}'
id: ${uuidV5(context.namespace, name)}
status: experimental
description: 'Reported to the feed ${messageText(service)}.'
${url === undefined ? '' : `references:\n    - '${url}'\n`}author: 'Rapsheet'
date: ${report.reportedAt.slice(0, 10)}
modified: ${report.updatedAt.slice(0, 10)}
${isFile ? '' : 'tags:\n    - attack.command-and-control\n'}logsource:
    category: ${category}
detection:
    selection:
${selection.map((line) => `        ${line}\n`).join('')}    condition: selection
level: ${levelOf(percentOf(report, context.services.get(service)))}
`;
}
