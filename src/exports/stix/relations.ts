import { type C2Address, formatC2Address } from '../../domain/reports/c2-address.ts';
import { c2IndicationOf } from '../../domain/reports/c2-indication.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { UNNAMED } from '../../domain/reports/report.ts';
import { type ReportObjectKind, sharedId } from './ids.ts';
import type { CommonParts } from './indicators.ts';
import { markingOf } from './markings.ts';
import { fileObject, hostObject, trafficObject } from './observables.ts';
import { RecentKeys, Remembered } from './remembered.ts';
import { jsonText, type StixContext, type StixObject, visibleText } from './stix-object.ts';

/**
 * Shared objects are functions of their ids, so they have one version, the same on every node. No
 * report may decide when it was created: reports are deleted.
 */
const SHARED_CREATED = '2026-01-01T00:00:00.000Z';

/** How many families are remembered, and relationships of one host or C2 to families. */
const REMEMBERED = 500;
/** How many files are remembered, about 5 MB. */
const REMEMBERED_FILES = 50_000;

/** What the indicators of a report are about. */
export interface Subjects {
  readonly host: StixObject | undefined;
  /** `undefined` if the report has no indicator of its file. */
  readonly file: StixObject | undefined;
  /** `undefined` if the report has no indicator of its C2. */
  readonly infrastructure: StixObject | undefined;
  readonly malware: StixObject | undefined;
  /** Objects that several reports may share, without those that an earlier report added. */
  readonly added: readonly StixObject[];
}

/**
 * Finds the subjects of reports. It keeps those of the last C2, because exports are sorted by
 * address: nothing else refers to them.
 */
export class SubjectFinder {
  readonly #context: StixContext;
  readonly #families = new Remembered<StixObject>(REMEMBERED);
  readonly #files = new RecentKeys(REMEMBERED_FILES);
  #c2: C2Objects | undefined;

  constructor(context: StixContext) {
    this.#context = context;
  }

  of(report: ExportedReport): Subjects {
    return c2IndicationOf(report, this.#context.hosts) === 'absent'
      ? this.#ofFile(report)
      : this.#ofC2(report);
  }

  /** Nothing of the C2: readers would take its infrastructure for one. */
  #ofFile(report: ExportedReport): Subjects {
    const file = this.#fileOf(report);
    const added: (StixObject | undefined)[] = [];
    if (file && this.#files.add(report.sha256)) added.push(file);
    const malware = this.#malwareOf(report, added);
    return { host: undefined, file, infrastructure: undefined, malware, added: present(added) };
  }

  #ofC2(report: ExportedReport): Subjects {
    const last = this.#c2;
    const c2 = this.#c2Of(report.c2);
    const { host, infrastructure } = c2;
    const isNewC2 = c2 !== last;
    const file = this.#fileOf(report);
    const added: (StixObject | undefined)[] = [];
    if (host !== last?.host) added.push(host.object);
    if (isNewC2) added.push(c2.traffic);
    if (file && this.#files.add(report.sha256)) added.push(file);
    if (isNewC2) added.push(infrastructure);
    const malware = this.#malwareOf(report, added);
    if (isNewC2) added.push(...c2.parts);
    if (malware !== undefined) {
      c2.addBeacon(malware, added);
      host.addCommunication(malware, added);
    }
    return { host: host.object, file, infrastructure, malware, added: present(added) };
  }

  #fileOf({ sha256 }: ExportedReport): StixObject | undefined {
    return this.#context.hosts.protectsFile(sha256) ? undefined : fileObject(sha256);
  }

  #c2Of(address: C2Address): C2Objects {
    const last = this.#c2;
    if (last?.address.host === address.host && last.address.port === address.port) return last;
    const known = last?.address.host === address.host ? last.host : undefined;
    const host = known ?? new HostObjects(address.host, this.#context);
    this.#c2 = new C2Objects(address, host, this.#context);
    return this.#c2;
  }

  /**
   * The family of the file. A report whose file has no known family is named after its first tag,
   * which can be anything. In lower case, because the object must be the same for every report.
   */
  #malwareOf(
    { name, tags }: ExportedReport,
    added: (StixObject | undefined)[],
  ): StixObject | undefined {
    if (name === UNNAMED || name === tags[0]) return undefined;
    const family = visibleText(name).toLowerCase();
    if (family === '') return undefined;
    return this.#families.get(family, () => {
      const key = `malware:family:${family}`;
      const members = `"name":"${jsonText(family)}","is_family":true`;
      const malware = sharedObject('malware', key, members, this.#context);
      added.push(malware);
      return malware;
    });
  }
}

class HostObjects {
  readonly object: StixObject | undefined;
  readonly #context: StixContext;
  readonly #communications = new RecentKeys(REMEMBERED);

  constructor(host: string, context: StixContext) {
    this.object = hostObject(host);
    this.#context = context;
  }

  addCommunication(malware: StixObject, added: (StixObject | undefined)[]): void {
    const { object } = this;
    if (object === undefined || !this.#communications.add(malware.id)) return;
    added.push(sharedRelationship('communicates-with', malware, object, this.#context));
  }
}

class C2Objects {
  readonly address: C2Address;
  readonly host: HostObjects;
  readonly traffic: StixObject | undefined;
  readonly infrastructure: StixObject;
  /** The relationships of the infrastructure to what it consists of. */
  readonly parts: readonly StixObject[];
  readonly #context: StixContext;
  readonly #beacons = new RecentKeys(REMEMBERED);

  constructor(address: C2Address, host: HostObjects, context: StixContext) {
    this.address = address;
    this.host = host;
    this.traffic = host.object && trafficObject(address, host.object.id);
    this.infrastructure = infrastructureObject(address, context);
    this.parts = present([host.object, this.traffic]).map((part) =>
      sharedRelationship('consists-of', this.infrastructure, part, context),
    );
    this.#context = context;
  }

  addBeacon(malware: StixObject, added: (StixObject | undefined)[]): void {
    if (!this.#beacons.add(malware.id)) return;
    added.push(sharedRelationship('beacons-to', malware, this.infrastructure, this.#context));
  }
}

/** The relationships of the indicators of a report. */
export function relationshipsOf(
  { host, file, infrastructure, malware }: Subjects,
  { idOf, modified, members }: CommonParts,
): readonly StixObject[] {
  const sources = { c2: idOf('c2'), file: idOf('file') };
  const relationship = (
    kind: ReportObjectKind,
    source: 'c2' | 'file',
    type: 'indicates' | 'based-on',
    target: StixObject | undefined,
  ): StixObject | undefined => {
    if (target === undefined) return undefined;
    const id = idOf(kind);
    const text = `{"type":"relationship","spec_version":"2.1","id":"${id}",${members},"relationship_type":"${type}","source_ref":"${sources[source]}","target_ref":"${target.id}"}`;
    return { type: 'relationship', id, version: modified, text };
  };
  return present([
    relationship('c2-indicates-infrastructure', 'c2', 'indicates', infrastructure),
    relationship('c2-based-on', 'c2', 'based-on', host),
    relationship('file-based-on', 'file', 'based-on', file),
    relationship('c2-indicates-malware', 'c2', 'indicates', infrastructure && malware),
    relationship('file-indicates-malware', 'file', 'indicates', file && malware),
  ]);
}

function present(objects: readonly (StixObject | undefined)[]): readonly StixObject[] {
  return objects.filter((object) => object !== undefined);
}

function infrastructureObject(c2: C2Address, context: StixContext): StixObject {
  const address = formatC2Address(c2);
  return sharedObject(
    'infrastructure',
    `infrastructure:c2:${address}`,
    `"name":"C2 ${address}","infrastructure_types":["command-and-control"]`,
    context,
  );
}

function sharedRelationship(
  type: string,
  source: StixObject,
  target: StixObject,
  context: StixContext,
): StixObject {
  return sharedObject(
    'relationship',
    `${type}:${source.id}:${target.id}`,
    `"relationship_type":"${type}","source_ref":"${source.id}","target_ref":"${target.id}"`,
    context,
  );
}

/** `members` are its own, as JSON. */
function sharedObject(
  type: string,
  key: string,
  members: string,
  context: StixContext,
): StixObject {
  const id = sharedId(type, key, context.namespace);
  const text = `{"type":"${type}","spec_version":"2.1","id":"${id}","created":"${SHARED_CREATED}","modified":"${SHARED_CREATED}","object_marking_refs":["${markingOf(context).id}"],${members}}`;
  return { type, id, version: SHARED_CREATED, text };
}
