import { formatC2Address } from '../../domain/reports/c2-address.ts';
import { c2IndicationOf } from '../../domain/reports/c2-indication.ts';
import { isFalsePositive } from '../../domain/reports/desk.ts';
import type { ExportedReport, WithdrawnReport } from '../../domain/reports/exported-report.ts';
import { publishedUntil } from '../../domain/reports/publication.ts';
import { UNNAMED } from '../../domain/reports/report.ts';
import { c2PercentOf, confirmationSentence, percentOf } from '../confidence.ts';
import { type ReportObjectKind, reportObjectIds, sharedId } from './ids.ts';
import { markingOf } from './markings.ts';
import { hostType } from './observables.ts';
import { Remembered } from './remembered.ts';
import { jsonText, type StixContext, type StixObject, visibleJson } from './stix-object.ts';
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

/** What all objects of one report have in common. */
export interface CommonParts {
  readonly idOf: (kind: ReportObjectKind) => string;
  readonly modified: string;
  /** As JSON, like other texts here that are named so. */
  readonly members: string;
}

/**
 * The indicators of the C2 and of the file, in this order. That of the C2 is left out if its host
 * is protected, or if the desk had rejected the C2 before it was reported; that of the file if a
 * list says that the file is good.
 */
export function indicatorsOf(
  report: ExportedReport,
  common: CommonParts,
  context: StixContext,
): readonly StixObject[] {
  const service = context.services.get(report.service);
  const indication = c2IndicationOf(report, context.hosts);
  const before = (until: string) =>
    `"description":"${describe(report)}",${validity(report.reportedAt, until)},"confidence":`;
  const until = validUntil(report);
  const c2Until = indication === 'ended' ? endOf(report) : until;
  const after = `${labelsOf(report)},"external_references":[${referencesOf(report, context)}]`;
  return indicatorsWith(report, common, {
    c2:
      indication === 'absent'
        ? undefined
        : `${before(c2Until)}${c2PercentOf(report, service)}${after}`,
    file: context.hosts.protectsFile(report.sha256)
      ? undefined
      : `${before(until)}${percentOf(report, service)}${after}`,
  });
}

/**
 * The last version of the indicators of a deleted report. Some clients read only `valid_until`,
 * others only `revoked`.
 */
export function revokedIndicatorsOf(
  withdrawn: WithdrawnReport,
  common: CommonParts,
): readonly StixObject[] {
  const members = `"description":"The report was deleted.","revoked":true,${validity(withdrawn.reportedAt, withdrawn.deletedAt)},"external_references":[{"source_name":"${SOURCE}","external_id":"${withdrawn.id}"}]`;
  return indicatorsWith(withdrawn, common, { c2: members, file: members });
}

export function commonParts(subject: Subject, context: StixContext): CommonParts {
  const { id, service, reportedAt } = subject;
  const modified = modifiedAt(subject, context);
  return {
    idOf: reportObjectIds(id, context.namespace),
    modified,
    members: `"created_by_ref":"${identityId(service, context)}","created":"${reportedAt}","modified":"${modified}","object_marking_refs":["${markingOf(context).id}"]`,
  };
}

/**
 * Never before `created`, and later with every version: the clock that set `addedAt` may be behind
 * the one that set `reportedAt`. A version that is stated before its time has come gets a later
 * time afterwards.
 */
function modifiedAt(
  { addedAt, reportedAt, sequence, createdSequence }: Subject,
  { changedUntil }: StixContext,
): string {
  const isFirst = sequence === createdSequence;
  const earliest = isFirst
    ? reportedAt
    : new Date(Date.parse(reportedAt) + sequence - createdSequence).toISOString();
  const modified = addedAt > earliest ? addedAt : earliest;
  if (changedUntil === undefined || modified <= changedUntil) return modified;
  const until = publishedUntil(Date.parse(modified), Date.parse(changedUntil));
  const stated = new Date(until).toISOString();
  return stated > reportedAt ? stated : reportedAt;
}

const identityIds = new Remembered<string>(1000);

export function identityId(service: string, { namespace }: StixContext): string {
  return identityIds.get(`${service} ${namespace}`, () =>
    sharedId('identity', `identity:${service}`, namespace),
  );
}

/** `members` are those after the pattern, of each of them. One without any is left out. */
function indicatorsWith(
  { name, c2, sha256 }: Subject,
  common: CommonParts,
  members: { readonly c2: string | undefined; readonly file: string | undefined },
): readonly StixObject[] {
  const family = name === UNNAMED ? '' : visibleJson(name);
  const prefix = family === '' ? '' : `${family} `;
  const indicator = (kind: 'c2' | 'file', subject: string, pattern: string) => {
    if (members[kind] === undefined) return [];
    const id = common.idOf(kind);
    const text = `{"type":"indicator","spec_version":"2.1","id":"${id}",${common.members},"name":"${prefix}${subject}","indicator_types":["malicious-activity"],"pattern":"${pattern}","pattern_type":"stix","pattern_version":"2.1",${members[kind]}}`;
    return [{ type: 'indicator', id, version: common.modified, text }];
  };
  return [
    ...indicator('c2', `C2 ${formatC2Address(c2)}`, hostPattern(c2.host)),
    ...indicator('file', `file ${sha256}`, `[file:hashes.'SHA-256' = '${sha256}']`),
  ];
}

/**
 * One comparison without the port: several clients find the type and the value of an indicator
 * with a regular expression. A host has no character that would need an escape.
 */
function hostPattern(host: string): string {
  return `[${hostType(host)}:value = '${host}']`;
}

/** `valid_until` must be later than `valid_from`. */
function validity(from: string, until: string): string {
  const later = until > from ? until : new Date(Date.parse(from) + 1).toISOString();
  return `"valid_from":"${from}","valid_until":"${later}"`;
}

/**
 * A false positive is no longer valid. It is not revoked: that is final in STIX, and the desk may
 * open the report again.
 */
function validUntil(report: ExportedReport): string {
  return isFalsePositive(report) ? endOf(report) : report.expiresAt;
}

/** Every report of a C2 is changed when the desk rejects it. */
function endOf({ updatedAt, expiresAt }: ExportedReport): string {
  return updatedAt < expiresAt ? updatedAt : expiresAt;
}

/** The member with the comma before it. */
function labelsOf({ tags }: ExportedReport): string {
  const labels = new Set(tags.map(visibleJson));
  labels.delete('');
  return labels.size > 0 ? `,"labels":["${[...labels].join('","')}"]` : '';
}

const SOURCE = 'Rapsheet';

function referencesOf(
  { service, id, reference }: ExportedReport,
  { baseUrl }: StixContext,
): string {
  const own = `{"source_name":"${SOURCE}","external_id":"${id}","url":"${visibleJson(baseUrl)}/feeds/${service}/reports/${id}"}`;
  const url = reference === '' ? undefined : strictUrl(reference);
  if (url === undefined) return own;
  return `${own},{"source_name":"Reference of the report","url":"${jsonText(url)}"}`;
}

function describe(report: ExportedReport): string {
  const { sha256, c2, service, status, statusReason, sightings } = report;
  const reason = statusReason === undefined ? '' : ` (${jsonText(statusReason)})`;
  const sentences = [confirmationSentence(report), rejectionSentence(report)].filter(Boolean);
  return `File ${sha256} uses C2 ${formatC2Address(c2)}. Reported to ${service} by ${visibleJson(report.reportedBy)}. Status: ${status}${reason}. Reports of this C2: ${sightings}.${sentences.map((sentence) => ` ${sentence}`).join('')}`;
}

function rejectionSentence({ rejectionSequence }: ExportedReport): string {
  return rejectionSequence === undefined ? '' : 'The desk has rejected this C2.';
}
