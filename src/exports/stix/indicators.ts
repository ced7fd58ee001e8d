import { formatC2Address } from '../../domain/reports/c2-address.ts';
import type { ExportedReport, WithdrawnReport } from '../../domain/reports/exported-report.ts';
import { UNNAMED } from '../../domain/reports/report.ts';
import { type ReportObjectKind, reportObjectId, sharedId } from './ids.ts';
import { markingOf } from './markings.ts';
import { hostType, isWritable } from './observables.ts';
import { type StixContext, type StixObject, visibleText } from './stix-object.ts';
import { strictUrl } from './strict-url.ts';

/** What a report and a tombstone have in common. */
type Subject = Pick<
  ExportedReport,
  | 'id'
  | 'service'
  | 'name'
  | 'c2'
  | 'sha256'
  | 'reportedAt'
  | 'addedAt'
  | 'sequence'
  | 'createdSequence'
>;

type Members = Readonly<Record<string, unknown>>;

/** The indicators of the C2 and of the file, in this order. */
export function indicatorsOf(report: ExportedReport, context: StixContext): readonly StixObject[] {
  if (!isWritable(report)) return [];
  const members = {
    ...validity(report.reportedAt, validUntil(report)),
    confidence: confidenceOf(report, context),
    ...labelsOf(report),
    external_references: referencesOf(report, context),
  };
  const description = describe(report);
  return [
    indicator('c2', report, { description, ...members }, context),
    indicator('file', report, { description, ...members }, context),
  ];
}

/**
 * The last version of the indicators of a deleted report. Some clients read only `valid_until`,
 * others only `revoked`.
 */
export function revokedIndicatorsOf(
  withdrawn: WithdrawnReport,
  context: StixContext,
): readonly StixObject[] {
  if (!isWritable(withdrawn)) return [];
  const members = {
    description: 'The report was deleted.',
    revoked: true,
    ...validity(withdrawn.reportedAt, withdrawn.deletedAt),
    external_references: [{ source_name: SOURCE, external_id: withdrawn.id }],
  };
  return [
    indicator('c2', withdrawn, members, context),
    indicator('file', withdrawn, members, context),
  ];
}

/** Members of all objects of one report. */
export function commonMembers(subject: Subject, context: StixContext): Members {
  return {
    created_by_ref: identityId(subject.service, context),
    created: subject.reportedAt,
    modified: modifiedAt(subject),
    object_marking_refs: [markingOf(context).id],
  };
}

/**
 * Never before `created`, and later with every version: the clock that set `addedAt` may be behind
 * the one that set `reportedAt`.
 */
function modifiedAt({ addedAt, reportedAt, sequence, createdSequence }: Subject): string {
  const isFirst = sequence === createdSequence;
  const earliest = isFirst
    ? reportedAt
    : new Date(Date.parse(reportedAt) + sequence - createdSequence).toISOString();
  return addedAt > earliest ? addedAt : earliest;
}

export function identityId(service: string, { namespace }: StixContext): string {
  return sharedId('identity', `identity:${service}`, namespace);
}

function indicator(
  kind: ReportObjectKind & ('c2' | 'file'),
  subject: Subject,
  members: Members,
  context: StixContext,
): StixObject {
  return {
    type: 'indicator',
    spec_version: '2.1',
    id: reportObjectId(kind, subject.id, context.namespace),
    ...commonMembers(subject, context),
    name: nameOf(kind, subject),
    indicator_types: ['malicious-activity'],
    pattern: kind === 'c2' ? hostPattern(subject.c2.host) : filePattern(subject.sha256),
    pattern_type: 'stix',
    pattern_version: '2.1',
    ...members,
  };
}

function nameOf(kind: 'c2' | 'file', { name, c2, sha256 }: Subject): string {
  const subject = kind === 'c2' ? `C2 ${formatC2Address(c2)}` : `file ${sha256}`;
  const visible = visibleText(name);
  return visible === '' || name === UNNAMED ? subject : `${visible} ${subject}`;
}

/**
 * One comparison without the port: several clients find the type and the value of an indicator
 * with a regular expression.
 */
function hostPattern(host: string): string {
  return `[${hostType(host)}:value = '${escapeLiteral(host)}']`;
}

function filePattern(sha256: string): string {
  return `[file:hashes.'SHA-256' = '${escapeLiteral(sha256)}']`;
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\']/g, '\\$&');
}

/** `valid_until` must be later than `valid_from`. */
function validity(from: string, until: string): Members {
  const later = until > from ? until : new Date(Date.parse(from) + 1).toISOString();
  return { valid_from: from, valid_until: later };
}

/**
 * A false positive is no longer valid. It is not revoked: that is final in STIX, and the desk may
 * open the report again.
 */
function validUntil({ status, statusReason, updatedAt, expiresAt }: ExportedReport): string {
  const isFalse = status === 'rejected' && statusReason === 'false_positive';
  return isFalse && updatedAt < expiresAt ? updatedAt : expiresAt;
}

function confidenceOf({ service, confidence }: ExportedReport, { services }: StixContext): number {
  const scale = services.get(service)?.confidenceScale ?? 100;
  return Math.min(100, Math.max(0, Math.round((confidence * 100) / scale)));
}

function labelsOf({ tags }: ExportedReport): Members {
  const labels = [...new Set(tags.map(visibleText))].filter((label) => label !== '');
  return labels.length > 0 ? { labels } : {};
}

const SOURCE = 'Rapsheet';

function referencesOf(
  { service, id, reference }: ExportedReport,
  { baseUrl }: StixContext,
): readonly Members[] {
  const own = {
    source_name: SOURCE,
    external_id: id,
    url: `${baseUrl}/feeds/${service}/reports/${id}`,
  };
  const url = strictUrl(reference);
  return url === undefined ? [own] : [own, { source_name: 'Reference of the report', url }];
}

function describe(report: ExportedReport): string {
  const reason = report.statusReason === undefined ? '' : ` (${report.statusReason})`;
  return [
    `File ${report.sha256} uses C2 ${formatC2Address(report.c2)}.`,
    `Reported to ${report.service} by ${visibleText(report.reportedBy)}.`,
    `Status: ${report.status}${reason}.`,
    `Reports of this C2: ${report.sightings}.`,
  ].join(' ');
}
