import { type C2Address, formatC2Address } from '../../domain/reports/c2-address.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { UNNAMED } from '../../domain/reports/report.ts';
import { type ReportObjectKind, reportObjectId, sharedId } from './ids.ts';
import { commonMembers } from './indicators.ts';
import { markingOf } from './markings.ts';
import { fileObject, hostObject, isWritable, trafficObject } from './observables.ts';
import { type StixContext, type StixObject, visibleText } from './stix-object.ts';

/**
 * Shared objects are functions of their ids, so they have one version, the same on every node. No
 * report may decide when it was created: reports are deleted.
 */
const SHARED_CREATED = '2026-01-01T00:00:00.000Z';

/** What the indicators of a report are about. */
interface Subjects {
  readonly host: StixObject | undefined;
  readonly traffic: StixObject | undefined;
  readonly file: StixObject;
  readonly infrastructure: StixObject;
  readonly malware: StixObject | undefined;
}

/** The objects of the rich profile that may be those of other reports too. */
export function sharedObjectsOf(
  report: ExportedReport,
  context: StixContext,
): readonly StixObject[] {
  if (!isWritable(report)) return [];
  const { host, traffic, file, infrastructure, malware } = subjectsOf(report, context);
  const relationship = (type: string, source?: StixObject, target?: StixObject) =>
    source && target && sharedRelationship(type, source, target, context);
  return present([
    host,
    traffic,
    file,
    infrastructure,
    malware,
    relationship('consists-of', infrastructure, host),
    relationship('consists-of', infrastructure, traffic),
    relationship('beacons-to', malware, infrastructure),
    relationship('communicates-with', malware, host),
  ]);
}

/** The relationships of the two indicators of a report. */
export function relationshipsOf(
  report: ExportedReport,
  context: StixContext,
): readonly StixObject[] {
  if (!isWritable(report)) return [];
  const { host, file, infrastructure, malware } = subjectsOf(report, context);
  const common = commonMembers(report, context);
  const idOf = (kind: ReportObjectKind) => reportObjectId(kind, report.id, context.namespace);
  const relationship = (kind: ReportObjectKind, target?: StixObject): StixObject | undefined =>
    target && {
      type: 'relationship',
      spec_version: '2.1',
      id: idOf(kind),
      ...common,
      relationship_type: kind.endsWith('-based-on') ? 'based-on' : 'indicates',
      source_ref: idOf(kind.startsWith('c2') ? 'c2' : 'file'),
      target_ref: target.id,
    };
  return present([
    relationship('c2-indicates-infrastructure', infrastructure),
    relationship('c2-based-on', host),
    relationship('file-based-on', file),
    relationship('c2-indicates-malware', malware),
    relationship('file-indicates-malware', malware),
  ]);
}

function present(objects: readonly (StixObject | undefined)[]): readonly StixObject[] {
  return objects.filter((object) => object !== undefined);
}

function subjectsOf(report: ExportedReport, context: StixContext): Subjects {
  const host = hostObject(report.c2.host);
  return {
    host,
    traffic: host && trafficObject(report.c2, host.id),
    file: fileObject(report.sha256),
    infrastructure: infrastructureObject(report.c2, context),
    malware: malwareObject(report, context),
  };
}

function infrastructureObject(c2: C2Address, context: StixContext): StixObject {
  const address = formatC2Address(c2);
  return {
    ...sharedMembers('infrastructure', `infrastructure:c2:${address}`, context),
    name: `C2 ${address}`,
    infrastructure_types: ['command-and-control'],
  };
}

/**
 * The family of the file. A report whose file has no known family is named after its first tag,
 * which can be anything. In lower case, because the object must be the same for every report.
 */
function malwareObject(
  { name, tags }: ExportedReport,
  context: StixContext,
): StixObject | undefined {
  const family = visibleText(name).toLowerCase();
  if (family === '' || name === UNNAMED || name === tags[0]) return undefined;
  return {
    ...sharedMembers('malware', `malware:family:${family}`, context),
    name: family,
    is_family: true,
  };
}

function sharedRelationship(
  type: string,
  source: StixObject,
  target: StixObject,
  context: StixContext,
): StixObject {
  return {
    ...sharedMembers('relationship', `${type}:${source.id}:${target.id}`, context),
    relationship_type: type,
    source_ref: source.id,
    target_ref: target.id,
  };
}

function sharedMembers(type: string, key: string, context: StixContext): StixObject {
  return {
    type,
    spec_version: '2.1',
    id: sharedId(type, key, context.namespace),
    created: SHARED_CREATED,
    modified: SHARED_CREATED,
    object_marking_refs: [markingOf(context).id],
  };
}
