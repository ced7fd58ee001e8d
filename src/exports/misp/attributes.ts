import { c2IndicationOf } from '../../domain/reports/c2-indication.ts';
import type { ExportedReport, WithdrawnReport } from '../../domain/reports/exported-report.ts';
import type { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { isReference, UNNAMED } from '../../domain/reports/report.ts';
import { uuidV5 } from '../../domain/uuid.ts';
import { hostKind, isPort, isSha256, oneLine } from '../characters.ts';
import type { ExportedService } from '../exporter.ts';

/**
 * The attributes of a report in a MISP event (MISP standard, core format):
 *
 *   c2    ip-dst|port, hostname|port   Network activity
 *   file  sha256                       Payload delivery
 *   link  link                         External analysis, never for detection
 *
 * Their UUIDs are derived from the report, so that an event that is fetched again changes the
 * attributes that it created.
 */
interface Attribute {
  readonly uuid: string;
  readonly type: 'ip-dst|port' | 'hostname|port' | 'sha256' | 'link';
  readonly category: 'Network activity' | 'Payload delivery' | 'External analysis';
  readonly value: string;
  readonly to_ids: boolean;
  readonly comment: string;
  /** Seconds since 1970, as text. MISP ignores a change that does not raise it. */
  readonly timestamp: string;
  readonly disable_correlation: boolean;
  readonly deleted: boolean;
  readonly first_seen: string;
  readonly Tag?: readonly { readonly name: string }[];
}

const MAX_TAG_LENGTH = 255;

type Value = Pick<Attribute, 'type' | 'category' | 'value'>;
type Part = 'c2' | 'file' | 'link';

function c2Of({ c2: { host, port } }: Pick<ExportedReport, 'c2'>): Value | undefined {
  const kind = hostKind(host);
  if (kind === undefined || !isPort(port)) return undefined;
  const type = kind === 'name' ? 'hostname|port' : 'ip-dst|port';
  return { type, category: 'Network activity', value: `${host}|${port}` };
}

function fileOf({ sha256 }: Pick<ExportedReport, 'sha256'>): Value | undefined {
  if (!isSha256(sha256)) return undefined;
  return { type: 'sha256', category: 'Payload delivery', value: sha256 };
}

function linkOf({ reference }: ExportedReport): Value | undefined {
  if (!isReference(reference) || oneLine(reference) !== reference) return undefined;
  return { type: 'link', category: 'External analysis', value: reference };
}

/** The values of a report, by part. */
function valuesOf(report: ExportedReport): readonly (readonly [Part, Value])[] {
  return present([
    ['c2', c2Of(report)],
    ['file', fileOf(report)],
    ['link', linkOf(report)],
  ]);
}

function present(
  parts: readonly (readonly [Part, Value | undefined])[],
): readonly (readonly [Part, Value])[] {
  return parts.flatMap(([part, value]) => (value === undefined ? [] : [[part, value] as const]));
}

/** The event whose attributes are written. No two events may have an attribute with the same id. */
export interface AttributeOwner {
  readonly namespace: string;
  /** `feed`: the event of the report's day; else the slug of an export. */
  readonly event: 'feed' | `export:${string}`;
}

function idOf({ namespace, event }: AttributeOwner, reportId: string, part: Part): string {
  return uuidV5(namespace, `misp:${event}:${reportId}:${part}`);
}

export interface AttributeContext {
  readonly service: Pick<ExportedService, 'confidenceScale'> | undefined;
  readonly hosts: IndicatorHosts;
}

/** The attributes of a report, each as JSON. */
export function attributesOf(
  report: ExportedReport,
  owner: AttributeOwner,
  { service, hosts }: AttributeContext,
): readonly string[] {
  const isDetected = report.status !== 'rejected' && report.status !== 'expired';
  const isIndicator = {
    c2: isDetected && c2IndicationOf(report, hosts) === 'valid',
    file: isDetected,
    link: false,
  };
  const tags = tagsOf(report.tags);
  const comment = commentOf(report, service);
  const timestamp = timestampOf(report);
  return valuesOf(report).map(([part, value]) =>
    JSON.stringify({
      uuid: idOf(owner, report.id, part),
      ...value,
      to_ids: isIndicator[part],
      comment,
      timestamp,
      disable_correlation: part === 'link',
      deleted: false,
      first_seen: report.reportedAt,
      ...(tags.length > 0 && part !== 'link' && { Tag: tags }),
    } satisfies Attribute),
  );
}

/**
 * The attributes of a deleted report. MISP may ignore `deleted`, so they are also not used for
 * detection any more. A tombstone does not have the link.
 */
export function withdrawnAttributesOf(
  withdrawn: WithdrawnReport,
  owner: AttributeOwner,
): readonly string[] {
  const values = present([
    ['c2', c2Of(withdrawn)],
    ['file', fileOf(withdrawn)],
  ]);
  return values.map(([part, value]) =>
    JSON.stringify({
      uuid: idOf(owner, withdrawn.id, part),
      ...value,
      to_ids: false,
      comment: `withdrawn; report ${withdrawn.id}`,
      timestamp: String(secondsOf(withdrawn.deletedAt) + 2),
      disable_correlation: true,
      deleted: true,
      first_seen: withdrawn.reportedAt,
    } satisfies Attribute),
  );
}

/**
 * The values by which MISP looks up whether a feed has something: composite ones in halves. A C2
 * that is no indicator has none: a protected host would be found in the events of everyone.
 */
export function lookupValuesOf(report: ExportedReport, hosts: IndicatorHosts): readonly string[] {
  return valuesOf(report).flatMap(([part, { value }]) => {
    if (part !== 'c2') return [value];
    return c2IndicationOf(report, hosts) === 'valid' ? value.split('|') : [];
  });
}

/** A change or deletion in the second of the version before it must also raise the timestamp. */
function timestampOf(report: ExportedReport): string {
  const isChanged = report.sequence > report.createdSequence;
  return String(isChanged ? secondsOf(report.updatedAt) + 1 : secondsOf(report.reportedAt));
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
