import { hash } from 'node:crypto';
import { formatC2Address } from '../../domain/reports/c2-address.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { UNNAMED } from '../../domain/reports/report.ts';
import { trimEndOf } from '../../domain/trim.ts';
import { formatUuid } from '../../domain/uuid.ts';
import { confirmationSentence } from '../confidence.ts';

/**
 * XARF 4.2.0 (https://xarf.org): category `infrastructure`, type `botnet`. `source_port` matters
 * most to a tunnel service, whose customers share addresses.
 */
export interface XarfObject {
  readonly xarf_version: '4.2.0';
  readonly report_id: string;
  readonly timestamp: string;
  readonly reporter: XarfContact;
  readonly sender: XarfContact;
  readonly source_identifier: string;
  readonly source_port: number;
  readonly category: 'infrastructure';
  readonly type: 'botnet';
  readonly evidence_source: 'researcher_analysis';
  readonly evidence: readonly XarfEvidence[];
  readonly confidence: number;
  readonly description: string;
  readonly tags: readonly string[];
  readonly malware_family: string;
  readonly c2_server: string;
  readonly c2_protocol: 'tcp';
  readonly bot_capabilities: readonly XarfCapability[];
  readonly compromise_evidence: string;
}

type XarfCapability =
  | 'ddos'
  | 'spam'
  | 'proxy'
  | 'keylogger'
  | 'file_download'
  | 'remote_shell'
  | 'cryptocurrency_mining'
  | 'data_theft';

/** By tags that say what malware does. */
const CAPABILITIES: ReadonlyMap<string, XarfCapability> = new Map([
  ['ddos', 'ddos'],
  ['spam', 'spam'],
  ['spambot', 'spam'],
  ['proxy', 'proxy'],
  ['keylogger', 'keylogger'],
  ['loader', 'file_download'],
  ['downloader', 'file_download'],
  ['dropper', 'file_download'],
  ['rat', 'remote_shell'],
  ['backdoor', 'remote_shell'],
  ['miner', 'cryptocurrency_mining'],
  ['stealer', 'data_theft'],
  ['infostealer', 'data_theft'],
]);

/** The schema allows no other members. */
interface XarfContact {
  readonly org: string;
  readonly contact: string;
  readonly domain: string;
}

interface XarfEvidence {
  readonly content_type: string;
  readonly description: string;
  readonly payload: string;
  readonly hash: string;
  readonly size: number;
}

/** The members of a report that its XARF object has. */
export type XarfReport = Pick<
  ExportedReport,
  | 'id'
  | 'name'
  | 'tags'
  | 'c2'
  | 'sha256'
  | 'reportedBy'
  | 'reportedAt'
  | 'reference'
  | 'confidence'
  | 'confirmation'
>;

export interface XarfContext {
  /** The confidence scale of the service. */
  readonly confidenceScale: number;
  /** Where recipients of a report can ask; see `contactOf`. */
  readonly contact: string;
}

const MAX_TEXT = 200;
const MAX_DESCRIPTION = 1000;
const MAX_TAGS = 20;
/** RFC 2483: a URI on each line. */
const LINKS = 'text/uri-list';

export function xarfOf(report: XarfReport, context: XarfContext): XarfObject {
  const { c2, sha256, confidence } = report;
  const family = report.name === UNNAMED ? undefined : oneLine(report.name, MAX_TEXT);
  return {
    xarf_version: '4.2.0',
    report_id: xarfIdOf(report.id),
    timestamp: report.reportedAt,
    reporter: contactInfo(oneLine(report.reportedBy, MAX_TEXT), context.contact),
    sender: contactInfo('Rapsheet', context.contact),
    source_identifier: c2.host,
    source_port: c2.port,
    category: 'infrastructure',
    type: 'botnet',
    evidence_source: 'researcher_analysis',
    evidence: evidenceOf(report),
    confidence: Math.min(Math.round((confidence / context.confidenceScale) * 10_000) / 10_000, 1),
    description: describe(report, family),
    tags: xarfTags(report),
    malware_family: family ?? UNNAMED,
    c2_server: c2.host,
    // Addresses of C2s have a port and no protocol; TCP is what tunnels forward.
    c2_protocol: 'tcp',
    compromise_evidence:
      `The file with SHA-256 ${sha256} uses ${formatC2Address(c2)} as its command-and-control server. ${confirmationSentence(report)}`.trimEnd(),
    bot_capabilities: capabilitiesOf(report.tags),
  };
}

/** A version 4 UUID, as XARF asks for. It is derived, so that it is the same everywhere. */
export function xarfIdOf(reportId: string): string {
  return formatUuid(hash('sha256', `xarf ${reportId}`, 'buffer'), 4);
}

/**
 * The address that a report names: the configured one, or one at the host of this server that gets
 * no mail. A URL with an IP address has no domain; `rapsheet.invalid` (RFC 2606) stands for it.
 */
export function contactOf(configured: string | undefined, baseUrl: string): string {
  if (configured !== undefined) return configured;
  const { hostname } = new URL(baseUrl);
  // The URL parser has turned every form of an IPv4 address into a dotted quad.
  const isName = /^[a-z0-9.-]+$/.test(hostname) && !/^[0-9.]+$/.test(hostname);
  return `noreply@${isName ? hostname : 'rapsheet.invalid'}`;
}

function contactInfo(org: string, contact: string): XarfContact {
  return { org, contact, domain: contact.slice(contact.lastIndexOf('@') + 1) };
}

/** The report itself, so that a desk can keep it with the case, and its link if it has one. */
function evidenceOf(report: XarfReport): readonly XarfEvidence[] {
  const { id, name, tags, c2, sha256, reportedBy, reportedAt, reference, confidence } = report;
  const shown = {
    id,
    name,
    tags,
    c2: formatC2Address(c2),
    sha256,
    reportedBy,
    reportedAt,
    reference,
    confidence,
  };
  const stored = evidence('application/json', 'The report as it was stored', JSON.stringify(shown));
  const link = oneLine(reference, 2048);
  return link === ''
    ? [stored]
    : [stored, evidence(LINKS, 'The link of the report', `${link}\r\n`)];
}

function evidence(type: string, description: string, text: string): XarfEvidence {
  const bytes = Buffer.from(text);
  return {
    content_type: type,
    description,
    payload: bytes.toString('base64'),
    hash: `sha256:${hash('sha256', bytes, 'hex')}`,
    size: bytes.length,
  };
}

function describe({ c2, sha256, reportedBy }: XarfReport, family: string | undefined): string {
  const malware = family === undefined ? 'malware' : `the malware ${family}`;
  const text = `${formatC2Address(c2)} was reported by ${reportedBy} as a command-and-control server of ${malware}, used by the file with SHA-256 ${sha256}.`;
  return oneLine(text, MAX_DESCRIPTION);
}

/** Empty if the tags say nothing about it. */
function capabilitiesOf(tags: readonly string[]): readonly XarfCapability[] {
  return [...new Set(tags.flatMap((tag) => CAPABILITIES.get(tag.toLowerCase()) ?? []))];
}

/**
 * `sha256:` and the file, `malware:` and the name, then `custom:` and each other tag. The
 * specification has no member for the file, and readers in strict mode refuse unknown members.
 */
function xarfTags({ name, tags, sha256 }: XarfReport): readonly string[] {
  const all = [
    `sha256:${sha256}`,
    ...(name === UNNAMED ? [] : tagOf('malware', name)),
    ...tags.filter((tag) => tag !== name).flatMap((tag) => tagOf('custom', tag)),
  ];
  return [...new Set(all)].slice(0, MAX_TAGS);
}

/** Lower-case ASCII only. Text without any such character gives no tag. */
function tagOf(namespace: string, text: string): readonly string[] {
  const value = text
    .toLowerCase()
    .replace(/[^a-z0-9_+-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
  const trimmed = trimEndOf(value, '-');
  return trimmed === '' ? [] : [`${namespace}:${trimmed}`];
}

/** Characters that end a line in some reader, or that no reader shows. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

function oneLine(text: string, limit: number): string {
  return text
    .replace(UNSAFE, ' ')
    .trim()
    .slice(0, limit)
    .replace(/[\ud800-\udbff]$/, '');
}
