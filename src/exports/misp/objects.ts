import { c2IndicationOf } from '../../domain/reports/c2-indication.ts';
import type { ExportedReport, WithdrawnReport } from '../../domain/reports/exported-report.ts';
import type { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { isReference, UNNAMED } from '../../domain/reports/report.ts';
import { hostKind, isPort, isSha256, oneLine } from '../characters.ts';
import type { ExportedService } from '../exporter.ts';
import { type ObjectOwner, type Values, writeObjects } from './object.ts';

const MAX_TAG_LENGTH = 255;

/** Neither ports nor links are for detection, and both would correlate with many events. */
const NOT_USED = { to_ids: false, comment: '', disable_correlation: true } as const;

function c2Of({ c2: { host, port } }: Pick<ExportedReport, 'c2'>): Values {
  const kind = hostKind(host);
  if (kind === undefined || !isPort(port)) return {};
  const type = kind === 'name' ? 'hostname' : 'ip-dst';
  const category = 'Network activity';
  return {
    c2: [
      { type, category, object_relation: type, value: host },
      { type: 'port', category, object_relation: 'dst-port', value: String(port) },
    ],
  };
}

function fileOf({ sha256 }: Pick<ExportedReport, 'sha256'>): Values {
  if (!isSha256(sha256)) return {};
  const category = 'Payload delivery';
  return { file: [{ type: 'sha256', category, object_relation: 'sha256', value: sha256 }] };
}

function linkOf({ reference }: ExportedReport): Values {
  if (!isReference(reference) || oneLine(reference) !== reference) return {};
  const category = 'External analysis';
  return { link: [{ type: 'link', category, object_relation: 'link', value: reference }] };
}

function valuesOf(report: ExportedReport): Values {
  return { ...c2Of(report), ...fileOf(report), ...linkOf(report) };
}

export interface ObjectContext {
  readonly service: Pick<ExportedService, 'confidenceScale'> | undefined;
  readonly hosts: IndicatorHosts;
}

/** The objects of a report, each as JSON. */
export function objectsOf(
  report: ExportedReport,
  owner: ObjectOwner,
  { service, hosts }: ObjectContext,
): readonly string[] {
  const isDetected = report.status !== 'rejected' && report.status !== 'expired';
  const isIndicator = {
    c2: isDetected && c2IndicationOf(report, hosts) === 'valid',
    file: isDetected && !hosts.protectsFile(report.sha256),
  };
  const tags = tagsOf(report.tags);
  const described = {
    comment: commentOf(report, service),
    disable_correlation: false,
    ...(tags.length > 0 && { Tag: tags }),
  };
  return writeObjects(owner, {
    reportId: report.id,
    values: valuesOf(report),
    useOf: (part, { type }) =>
      part === 'link' || type === 'port' ? NOT_USED : { to_ids: isIndicator[part], ...described },
    reportedAt: report.reportedAt,
    timestamp: timestampOf(report),
    isDeleted: false,
  });
}

/**
 * The objects of a deleted report. MISP may ignore `deleted`, so they are also not used for
 * detection any more. A tombstone does not have the link.
 */
export function withdrawnObjectsOf(
  withdrawn: WithdrawnReport,
  owner: ObjectOwner,
): readonly string[] {
  const comment = `withdrawn; report ${withdrawn.id}`;
  return writeObjects(owner, {
    reportId: withdrawn.id,
    values: { ...c2Of(withdrawn), ...fileOf(withdrawn) },
    useOf: () => ({ ...NOT_USED, comment }),
    reportedAt: withdrawn.reportedAt,
    timestamp: secondsOf(withdrawn.deletedAt) + 2,
    isDeleted: true,
  });
}

/**
 * The values by which MISP looks up whether a feed has something, without what is no indicator: a
 * protected host would be found in the events of everyone.
 */
export function lookupValuesOf(report: ExportedReport, hosts: IndicatorHosts): readonly string[] {
  const { c2 = [], file = [], link = [] } = valuesOf(report);
  const found = [
    ...(c2IndicationOf(report, hosts) === 'valid' ? c2 : []),
    ...(hosts.protectsFile(report.sha256) ? [] : file),
  ];
  return [...found, ...link].map(({ value }) => value);
}

/** A change or deletion in the second of the version before it must also raise the timestamp. */
function timestampOf(report: ExportedReport): number {
  const isChanged = report.sequence > report.createdSequence;
  return isChanged ? secondsOf(report.updatedAt) + 1 : secondsOf(report.reportedAt);
}

export function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function tagsOf(tags: readonly string[]): readonly { readonly name: string }[] {
  const names = tags.map(oneLine).filter((name) => name.length <= MAX_TAG_LENGTH);
  return [...new Set(names)].map((name) => ({ name }));
}

function commentOf(
  report: ExportedReport,
  service: Pick<ExportedService, 'confidenceScale'> | undefined,
): string {
  const { name, status, statusReason, confidence, confirmation } = report;
  const parts = [
    ...(name === UNNAMED ? [] : [name]),
    `reported by ${report.reportedBy}`,
    ...(confirmation === 'unknown' ? [] : [`${confirmation} by the settings in the file`]),
    `confidence ${confidence} of ${service?.confidenceScale ?? 100}`,
    statusReason === undefined ? status : `${status} (${statusReason})`,
    ...(report.rejectionSequence === undefined ? [] : ['C2 rejected by the desk']),
    `report ${report.id}`,
  ];
  return oneLine(parts.join('; '));
}
